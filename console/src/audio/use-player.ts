import { useEffect, useState, useSyncExternalStore } from 'react';
import type { PcmPlayer } from './pcm-player.ts';

/** Renders again when the player changes, and on every frame while it plays. Returns the position in seconds. */
export function usePosition(player: PcmPlayer): number {
  useSyncExternalStore(
    (listener) => player.subscribe(listener),
    () =>
      `${player.isPlaying} ${player.durationSeconds} ${player.isComplete} ${player.isPlaying ? 0 : player.positionSeconds}`,
  );
  const [, render] = useState(0);
  const { isPlaying } = player;
  useEffect(() => {
    if (!isPlaying) return;
    let frame = requestAnimationFrame(function next() {
      render((count) => count + 1);
      frame = requestAnimationFrame(next);
    });
    return () => cancelAnimationFrame(frame);
  }, [isPlaying]);
  return player.positionSeconds;
}
