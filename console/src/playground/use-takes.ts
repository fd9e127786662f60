import { useQueryClient } from '@tanstack/react-query';
import type { Voice } from 'mynah';
import { useState } from 'react';
import { Take, type TakeInfo } from '../audio/take.ts';
import { loadTake, storeTake } from '../audio/take-history.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { HISTORY_KEY } from './history.tsx';

interface SpeechChoices {
  readonly text: string;
  /** One take each; undefined: the default voice. */
  readonly voices: readonly (Voice | undefined)[];
  readonly model: string;
  readonly speed: number;
  readonly volume: number;
  /** Cost of one take in US dollars; undefined while billing is off. */
  readonly costUsd: number | undefined;
}

/** The takes that are shown, and how they are made. */
export function useTakes() {
  const t = useTranslate();
  const queryClient = useQueryClient();
  const [takes, setTakes] = useState<readonly Take[]>([]);
  const [isRunning, setIsRunning] = useState(false);

  const stop = () => {
    for (const take of takes) take.stop();
  };

  /** Synthesizes a text with each voice, one after the other. Only the first take plays at once. */
  const speak = async ({ text, voices, model, speed, volume, costUsd }: SpeechChoices) => {
    if (text.trim() === '' || isRunning) return;
    stop();
    const made = voices.map(
      (voice) =>
        new Take({
          id: `${Date.now()}-${Math.random().toString(36).slice(2, 8)}`,
          text,
          voiceId: voice?._id ?? '',
          voiceTitle: voice?.title ?? t('Default voice'),
          model,
          speed,
          volume,
          createdAtMs: Date.now(),
          ...(costUsd !== undefined && { costUsd }),
        }),
    );
    setTakes(made);
    setIsRunning(true);
    for (const [index, take] of made.entries()) {
      const request = {
        model,
        ...(take.info.voiceId && { reference_id: take.info.voiceId }),
        prosody: { speed, volume },
        latency: 'low',
      } as const;
      await take.run(request, { isSilent: index > 0 });
      if (take.error === undefined) await storeTake(take).catch(() => {});
    }
    setIsRunning(false);
    await queryClient.invalidateQueries({ queryKey: HISTORY_KEY });
  };

  /** Shows a stored take and plays it. */
  const open = async (info: TakeInfo) => {
    const take = await loadTake(info.id);
    if (take === undefined) return;
    stop();
    setTakes([take]);
    take.player.play(0);
  };

  return { takes, isRunning, speak, stop, open };
}
