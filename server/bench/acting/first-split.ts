import { trackPitch } from '../../src/audio/dsp/pitch-track.ts';
import { joinSamples } from '../../src/audio/pcm.ts';
import type { TtsEngine, Utterance, WordTime } from '../../src/domain/engines/tts-engine.ts';
import { choosePieceLengths } from '../../src/domain/speech/choose-piece-lengths.ts';
import { textToPieces } from '../../src/text/front-end/text-to-pieces.ts';
import type { SpokenWord } from '../../src/text/piece.ts';
import { openSpeechHost } from '../../test/support/workers/engine-context.ts';
import { FIRST_SENTENCES } from './first-sentences.ts';

const VOICES = ['af_heart', 'am_michael', 'bf_emma', 'bm_george'] as const;
/** Speech on either side of the end of the opening whose pitch is compared. */
const SIDE_SECONDS = 0.4;
const VOICED_ABOVE_HZ = 40;

/** Speech of one sentence, with the place where the opening ends. */
interface Measurement {
  readonly pitchStep: number | undefined;
  readonly seconds: number;
  readonly openingSeconds: number;
}

/**
 * Compares the first sentences of a stream, whose opening is decoded before the front has read them, with the same
 * sentences read completely first: `node server/dist/bench/first-split.js [engine] [sentences]`. CPU times are those of
 * this process until the first audio; "short piece" is the short first piece that a sentence with cues still has.
 */
export async function main([engineName = 'kokoro-fast', limit = '30']: readonly string[]): Promise<void> {
  const engine = await openSpeechHost().engine(engineName);
  const steps: number[][] = [];
  const durations: number[][] = [];
  const openings: number[][] = [];
  const cpu = { opening: [] as number[][], shortPiece: [] as number[][] };
  for (const text of FIRST_SENTENCES.slice(0, Number(limit))) {
    for (const groups of [steps, durations, openings, cpu.opening, cpu.shortPiece]) groups.push([]);
    for (const voice of VOICES) {
      const words = wordsOf(text);
      const spoken = await speak(engine, utteranceOf(voice, words, true));
      if (spoken.openingWords === 0) throw new Error(`no opening in "${text}"`);
      const whole = await speak(engine, utteranceOf(voice, words, false));
      const split = measure(spoken, spoken.openingWords, engine.sampleRateHz);
      const unsplit = measure(whole, spoken.openingWords, engine.sampleRateHz);
      if (split.pitchStep !== undefined && unsplit.pitchStep !== undefined)
        steps.at(-1)!.push(split.pitchStep - unsplit.pitchStep);
      durations.at(-1)!.push(100 * (split.seconds / unsplit.seconds - 1));
      openings.at(-1)!.push(100 * (split.openingSeconds / unsplit.openingSeconds - 1));
      cpu.opening.at(-1)!.push(await firstAudioCpuMs(engine, utteranceOf(voice, words, true)));
      cpu.shortPiece
        .at(-1)!
        .push(await firstAudioCpuMs(engine, utteranceOf(voice, firstPieceOf(text), true)));
    }
  }
  report('pitch step at the end of the opening, difference in semitones', steps);
  report('duration of the sentence, difference in percent', durations);
  report('duration of the opening, difference in percent', openings);
  report('CPU milliseconds to the first audio, opening', cpu.opening);
  report('CPU milliseconds to the first audio, short piece', cpu.shortPiece);
  await engine.close();
}

const READING = {
  language: 'en-US',
  normalize: true,
  cueStyle: 'both',
  ...choosePieceLengths({ chunkLength: 300, minChunkLength: 50, latency: 'normal' }),
} as const;

const wordsOf = (text: string) =>
  [
    ...textToPieces(text, { ...READING, chunkLength: 300, firstPieceLength: Number.POSITIVE_INFINITY }),
  ].flatMap((piece) => piece.words);

const firstPieceOf = (text: string) => [...textToPieces(text, READING)][0]!.words;

function utteranceOf(voice: string, words: readonly SpokenWord[], isLatencyCritical: boolean): Utterance {
  return {
    ...{ words, isLatencyCritical, speed: 1, seed: 1, voice: { kind: 'named', name: voice } },
    language: voice.startsWith('b') ? 'en-GB' : 'en-US',
  };
}

/** The opening ends at the empty part after the first audio. */
async function speak(
  engine: TtsEngine,
  utterance: Utterance,
): Promise<{ samples: Float32Array; times: WordTime[]; openingWords: number }> {
  const parts: Float32Array[] = [];
  const times: WordTime[] = [];
  let openingWords = 0;
  for await (const part of engine.speak(utterance, new AbortController().signal)) {
    if (part.samples.length === 0 && parts.length > 0) openingWords = times.length;
    else if (part.samples.length > 0) parts.push(part.samples);
    times.push(...(part.wordTimes ?? []));
  }
  return { samples: joinSamples(parts), times, openingWords };
}

function measure(
  { samples, times }: { readonly samples: Float32Array; readonly times: readonly WordTime[] },
  openingWords: number,
  sampleRateHz: number,
): Measurement {
  const start = times[0]!.startSeconds;
  const cut = times[openingWords]!.startSeconds;
  const before = medianSemitones(samples, sampleRateHz, { from: cut - SIDE_SECONDS, to: cut });
  const after = medianSemitones(samples, sampleRateHz, { from: cut, to: cut + SIDE_SECONDS });
  return {
    pitchStep: before === undefined || after === undefined ? undefined : after - before,
    seconds: times.at(-1)!.endSeconds - start,
    openingSeconds: cut - start,
  };
}

function medianSemitones(
  samples: Float32Array,
  sampleRateHz: number,
  { from, to }: { readonly from: number; readonly to: number },
): number | undefined {
  const part = samples.slice(Math.max(0, Math.round(from * sampleRateHz)), Math.round(to * sampleRateHz));
  const voiced = [...trackPitch(part, sampleRateHz).pitchHz].filter((hz) => hz > VOICED_ABOVE_HZ);
  if (voiced.length < 3) return undefined;
  return 12 * Math.log2(voiced.sort((one, two) => one - two)[Math.floor(voiced.length / 2)]!);
}

async function firstAudioCpuMs(engine: TtsEngine, utterance: Utterance): Promise<number> {
  const before = process.cpuUsage();
  for await (const part of engine.speak(utterance, new AbortController().signal))
    if (part.samples.length > 0) break;
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Mean with its 95 % confidence interval and median. A group has the values of one sentence, which depend on each other: the
 * interval is that of the means of sentences.
 */
function report(name: string, groups: readonly (readonly number[])[]): void {
  const values = groups.flat().sort((one, two) => one - two);
  const means = groups.filter((group) => group.length > 0).map(meanOf);
  const mean = meanOf(means);
  const variance = means.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (means.length - 1);
  const interval = 1.96 * Math.sqrt(variance / means.length);
  const median = values[Math.floor(values.length / 2)]!;
  process.stdout.write(
    `${name}: ${mean.toFixed(2)} ± ${interval.toFixed(2)} (median ${median.toFixed(2)}, ${values.length} values of ${means.length} sentences)\n`,
  );
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

if (process.argv[1]?.endsWith('first-split.js')) await main(process.argv.slice(2));
