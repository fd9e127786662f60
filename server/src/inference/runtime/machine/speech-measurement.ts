import type { Utterance } from '../../../domain/engines/tts-engine.ts';
import type { WorkerSettings } from '../process/messages.ts';
import { SpeechProcess } from '../speech/speech-process.ts';

const WORDS = 'this sentence tells how fast a machine can speak with the engine it is given'.split(' ');

/** The measured performance of one worker. */
export interface SpeechMeasurement {
  readonly firstAudioSeconds: number;
  /** Seconds of work per second of audio. */
  readonly realTimeFactor: number;
}

/** Number and end of the repetitions of a measurement. */
export interface TrialLimits {
  /** Number of repetitions. The best one counts, since the first includes the warm-up. */
  readonly trials: number;
  /** Whether further repetitions cannot change what is decided by the result of this one. */
  readonly isConclusive?: (trial: SpeechMeasurement) => boolean;
}

/** Options of a measurement. */
export interface TrialOptions extends TrialLimits {
  readonly settings: WorkerSettings;
  readonly startTimeoutMs: number;
}

/** Measures an engine on one sentence, in a separate process, so that its memory is released. */
export async function measureSpeech(engine: string, options: TrialOptions): Promise<SpeechMeasurement> {
  const worker = await SpeechProcess.start(options.settings, options);
  try {
    await worker.load(engine);
    return await repeatTrials(() => speakOnce(worker, engine), options);
  } finally {
    await worker.stop();
  }
}

/** The best of several trials. */
export async function repeatTrials(
  measureOnce: () => Promise<SpeechMeasurement>,
  limits: TrialLimits,
): Promise<SpeechMeasurement> {
  const trials: SpeechMeasurement[] = [];
  while (trials.length < limits.trials) {
    const trial = await measureOnce();
    trials.push(trial);
    if (limits.isConclusive?.(trial)) break;
  }
  return {
    firstAudioSeconds: Math.min(...trials.map((trial) => trial.firstAudioSeconds)),
    realTimeFactor: Math.min(...trials.map((trial) => trial.realTimeFactor)),
  };
}

async function speakOnce(worker: SpeechProcess, engine: string): Promise<SpeechMeasurement> {
  const utterance: Utterance = {
    words: WORDS.map((text, index) => ({ text, start: index, end: index, before: '', after: '' })),
    language: 'en-US',
    voice: { kind: 'named', name: 'af_heart' },
    speed: 1,
    seed: 1,
  };
  const startedAtMs = performance.now();
  const secondsSoFar = () => (performance.now() - startedAtMs) / 1000;
  let firstAudioSeconds = Number.POSITIVE_INFINITY;
  let audioSeconds = 0;
  const signal = new AbortController().signal;
  const options = { dueAtMs: Date.now(), isFirstAudio: true, accountId: '', signal, stream: worker };
  for await (const part of worker.speak(engine, utterance, options)) {
    firstAudioSeconds = Math.min(firstAudioSeconds, secondsSoFar());
    audioSeconds += part.samples.length / part.sampleRateHz;
  }
  return { firstAudioSeconds, realTimeFactor: secondsSoFar() / audioSeconds };
}
