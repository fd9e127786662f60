import { useEffect, useRef, useState } from 'react';
import { type Microphone, openMicrophone } from './microphone.ts';
import { encodeWav } from './wav.ts';

const SECONDS_MAX = 600;

/** Level of a block of samples, 0 to 1 on a scale of 60 dB. */
function levelOf(samples: Float32Array): number {
  let sum = 0;
  for (const value of samples) sum += value * value;
  const decibels = 10 * Math.log10(sum / samples.length + 1e-10);
  return Math.max(0, Math.min(1, (decibels + 60) / 60));
}

/** Records the microphone to a WAV file, with the level for a meter. */
export function useRecorder({ isClean = false }: { readonly isClean?: boolean } = {}) {
  const microphone = useRef<Microphone>(undefined);
  const blocks = useRef<Float32Array[]>([]);
  const [isRecording, setIsRecording] = useState(false);
  const [level, setLevel] = useState(0);
  const [seconds, setSeconds] = useState(0);
  const [error, setError] = useState<unknown>();

  useEffect(() => () => microphone.current?.close(), []);

  const start = async () => {
    setError(undefined);
    blocks.current = [];
    setSeconds(0);
    let count = 0;
    try {
      microphone.current = await openMicrophone(
        (samples) => {
          const rate = microphone.current?.sampleRateHz ?? 48_000;
          if (count / rate > SECONDS_MAX) return;
          blocks.current.push(samples);
          count += samples.length;
          setLevel(levelOf(samples));
          setSeconds(count / rate);
        },
        { isClean },
      );
      setIsRecording(true);
    } catch (problem) {
      setError(problem);
    }
  };

  /** Ends the recording and returns it. */
  const stop = (): Blob | undefined => {
    const open = microphone.current;
    microphone.current = undefined;
    open?.close();
    setIsRecording(false);
    setLevel(0);
    if (open === undefined || blocks.current.length === 0) return undefined;
    const length = blocks.current.reduce((sum, block) => sum + block.length, 0);
    const all = new Float32Array(length);
    let at = 0;
    for (const block of blocks.current) {
      all.set(block, at);
      at += block.length;
    }
    return encodeWav(all, open.sampleRateHz);
  };

  return { start, stop, isRecording, level, seconds, error };
}
