import { useEffect, useRef } from 'react';
import type { PcmPlayer } from '../audio/pcm-player.ts';
import { usePosition } from '../audio/use-player.ts';
import { formatTime } from '../lib/format.ts';
import { useTheme } from '../lib/theme.ts';
import { useTranslate } from '../lib/use-translate.ts';

const BAR_WIDTH = 3;
const BAR_GAP = 2;
const STEP_SECONDS = 2;

/** Peaks of equal parts of the samples, 0 to 1. */
function peaksOf(samples: Float32Array, count: number): Float32Array {
  const peaks = new Float32Array(count);
  const perPeak = Math.max(1, Math.floor(samples.length / count));
  for (let index = 0; index < count; index++) {
    let peak = 0;
    const end = Math.min(samples.length, (index + 1) * perPeak);
    for (let at = index * perPeak; at < end; at += 4) peak = Math.max(peak, Math.abs(samples[at] ?? 0));
    peaks[index] = peak;
  }
  return peaks;
}

/** The waveform of the audio. Click, drag or arrow keys seek. */
export function Waveform({ player }: { readonly player: PcmPlayer }) {
  const t = useTranslate();
  const theme = useTheme();
  const canvas = useRef<HTMLCanvasElement>(null);
  const peaks = useRef<{ readonly samples: number; readonly values: Float32Array }>(undefined);
  const position = usePosition(player);
  const duration = player.durationSeconds;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme decides the colours
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context) return;
    const ratio = devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = element;
    if (element.width !== width * ratio) {
      element.width = width * ratio;
      element.height = height * ratio;
      peaks.current = undefined;
    }
    const count = Math.max(1, Math.floor(width / (BAR_WIDTH + BAR_GAP)));
    const total = Math.round(duration * 1000);
    if (peaks.current?.samples !== total || peaks.current.values.length !== count) {
      peaks.current = { samples: total, values: peaksOf(player.samples(), count) };
    }
    const style = getComputedStyle(element);
    const played = style.getPropertyValue('--accent');
    const rest = style.getPropertyValue('--line-strong');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const edge = duration === 0 ? 0 : position / duration;
    peaks.current.values.forEach((peak, index) => {
      const size = Math.max(2, Math.min(1, peak * 1.3) * height);
      context.fillStyle = index / count <= edge ? played : rest;
      context.beginPath();
      context.roundRect(index * (BAR_WIDTH + BAR_GAP), (height - size) / 2, BAR_WIDTH, size, 1.5);
      context.fill();
    });
  }, [player, position, duration, theme]);

  const seekTo = (event: React.PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    player.seek(((event.clientX - left) / width) * duration);
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={t('Position')}
      aria-valuemin={0}
      aria-valuemax={Math.round(duration * 10) / 10}
      aria-valuenow={Math.round(position * 10) / 10}
      aria-valuetext={formatTime(position)}
      className="h-14 min-w-0 flex-1 cursor-pointer touch-none"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        seekTo(event);
      }}
      onPointerMove={(event) => event.buttons === 1 && seekTo(event)}
      onKeyDown={(event) => {
        if (event.key === 'ArrowRight') player.seek(position + STEP_SECONDS);
        else if (event.key === 'ArrowLeft') player.seek(position - STEP_SECONDS);
        else if (event.key === 'Home') player.seek(0);
        else if (event.key === ' ' || event.key === 'Enter') player.toggle();
        else return;
        event.preventDefault();
      }}
    >
      <canvas ref={canvas} className="size-full" />
    </div>
  );
}
