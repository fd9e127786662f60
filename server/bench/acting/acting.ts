import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureSpeech, type SpeechMeasures } from '../../src/audio/dsp/speech-measures.ts';
import { encodeWavFile } from '../../src/audio/encode/wav.ts';
import { formatTable } from '../../src/cli/table.ts';
import { listBuiltInVoices } from '../../src/compose/installed-voices.ts';
import { type Environment, loadConfig } from '../../src/config/config.ts';
import { ASSETS_FOLDER } from '../../src/config/package-info.ts';
import { MINIMUM_CUE_EFFECTS } from '../../src/domain/speech/acting/cue-table.ts';
import type { WorkerSettings } from '../../src/inference/runtime/process/messages.ts';
import { SpeechHost } from '../../src/inference/runtime/speech/speech-host.ts';
import {
  type Boundary,
  type BoundarySummary,
  type Segmentation,
  summarizeBoundaries,
} from './acting-boundaries.ts';
import { type Comparison, compareCue, compareWords, type WordComparison } from './acting-comparison.ts';
import { MEASURED_SENTENCES, TRANSCRIBED_SENTENCES } from './acting-sentences.ts';
import { ActingTranscriber, type WordErrorCount } from './acting-transcriber.ts';
import { type ActingVoice, renderText } from './acting-voice.ts';
import { cloneRecording } from './cloned-voice.ts';

const DEFAULT_VOICES = 'kokoro-fast:af_heart,vits:712';
const DEFAULT_LUFS = -20;
/** Engine name of cloned recordings in `--voice`. */
const CLONE = 'clone';
const SENTENCES = [...MEASURED_SENTENCES, ...TRANSCRIBED_SENTENCES];

const HELP = `Usage: npm run acting -- [option…]

Synthesizes ${SENTENCES.length} sentences with each of twelve cues and without. Measures the first ${MEASURED_SENTENCES.length} and prints the effects
next to the minimum values of the cue table; transcribes all of them and prints the word error rate. The exit status
is 1 when an effect is below its minimum or the word error rate rises by more than the limit.

  --voice LIST   Voices as ENGINE:NAME, separated by commas; default ${DEFAULT_VOICES}.
                 clone:FILE is the refined clone of a recording.
  --cue LIST     Only these cues, separated by commas.
  --joins        Instead: measures the differences at piece boundaries, compared with the unsplit sentence, with
                 and without condition_on_previous_chunks.
  --normalizer FILE
                 A JavaScript module with a function words(text) that returns the words to compare.
  --out FOLDER   Writes the audio as WAV files, with transcripts.tsv for an ASR tool.
  --help
`;

/** Runs the comparison and returns the exit status. */
export async function main(argv: readonly string[], env: Environment): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      voice: { type: 'string', default: DEFAULT_VOICES },
      cue: { type: 'string' },
      out: { type: 'string' },
      normalizer: { type: 'string' },
      joins: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const cues = values.cue === undefined ? Object.keys(MINIMUM_CUE_EFFECTS) : values.cue.split(',');
  const { config } = loadConfig(env);
  const settings = { modelsRoot: config.modelsFolder, assetsRoot: ASSETS_FOLDER, threads: 1 };
  const host = new SpeechHost(settings);
  const transcriber = await ActingTranscriber.open(settings, values.normalizer);
  let isMet = true;
  for (const spec of values.voice.split(',')) {
    const [engine = '', name = ''] = spec.split(':');
    const voice = await openVoice(host, settings, { engine, name });
    if (values.joins) {
      const boundaries = await summarizeBoundaries({ engine: voice.engine, voice: name });
      process.stdout.write(`\n${engine}, voice ${name}\n${renderBoundaries(boundaries)}`);
      continue;
    }
    const folder = values.out && join(values.out, `${engine}-${basename(name)}`);
    const { effects, words } = await compareVoice({ voice, transcriber, folder }, cues);
    process.stdout.write(`\n${engine}, voice ${name}\n${renderEffects(effects)}\n${renderWords(words)}`);
    isMet &&= [...effects, ...words].every(([, comparison]) => comparison.isMet);
  }
  return isMet ? 0 : 1;
}

async function openVoice(
  host: SpeechHost,
  settings: WorkerSettings,
  { engine, name }: { readonly engine: string; readonly name: string },
): Promise<ActingVoice> {
  if (engine !== CLONE) {
    const voice = { kind: 'named', name } as const;
    return { engine: await host.engine(engine), voice, loudnessLufs: loudnessOf(name) };
  }
  const clone = await cloneRecording(name, settings);
  const { vector: values, pitchCorrection, loudnessLufs } = clone;
  const voice = { kind: 'vector', values, pitchCorrection } as const;
  return { engine: await host.engine(clone.engine), voice, loudnessLufs };
}

function loudnessOf(engineVoice: string): number {
  return listBuiltInVoices().find((voice) => voice.engineVoice === engineVoice)?.loudnessLufs ?? DEFAULT_LUFS;
}

interface VoiceComparison {
  readonly effects: [cue: string, Comparison][];
  readonly words: [cue: string, WordComparison][];
}

async function compareVoice(setup: RecordingSetup, cues: readonly string[]): Promise<VoiceComparison> {
  const recordings = new Recordings(setup);
  const neutral = await recordings.recordAll('neutral', SENTENCES);
  const compared: VoiceComparison = { effects: [], words: [] };
  for (const cue of cues) {
    const minimum = MINIMUM_CUE_EFFECTS[cue];
    if (minimum === undefined) throw new Error(`The cue table has no minimum effects for (${cue}).`);
    const acted = await recordings.recordAll(
      cue,
      SENTENCES.map((sentence) => placeCue(cue, sentence)),
    );
    const pairs = MEASURED_SENTENCES.map((_, index) => ({
      acted: acted[index]!.measures,
      own: neutral[index]!.measures,
    }));
    for (const comparison of compareCue(minimum, pairs)) compared.effects.push([cue, comparison]);
    compared.words.push([cue, compareWords(acted.map(errorsOf), neutral.map(errorsOf))]);
  }
  await recordings.finish();
  return compared;
}

function placeCue(cue: string, sentence: string): string {
  if (cue !== 'break') return `(${cue}) ${sentence}`;
  const words = sentence.split(' ');
  const middle = words.length >> 1;
  return [...words.slice(0, middle), '(break)', ...words.slice(middle)].join(' ');
}

/** The voice, the transcriber and the output folder, if any. */
interface RecordingSetup {
  readonly voice: ActingVoice;
  readonly transcriber: ActingTranscriber;
  readonly folder: string | undefined;
}

interface Take {
  readonly measures: SpeechMeasures;
  readonly wordErrors: WordErrorCount;
}

const errorsOf = ({ wordErrors }: Take) => wordErrors;

/** Synthesizes, measures and optionally stores sentences. */
class Recordings {
  readonly #setup: RecordingSetup;
  readonly #transcripts: string[] = [];

  constructor(setup: RecordingSetup) {
    this.#setup = setup;
  }

  async recordAll(cue: string, texts: readonly string[]): Promise<Take[]> {
    const { voice, transcriber } = this.#setup;
    const { sampleRateHz } = voice.engine;
    const takes: Take[] = [];
    for (const [index, text] of texts.entries()) {
      const sentence = SENTENCES[index]!;
      const samples = await renderText(voice, text);
      const wordErrors = await transcriber.countErrors(samples, sampleRateHz, sentence);
      takes.push({ measures: measureSpeech(samples, sampleRateHz), wordErrors });
      await this.#store(`${cue.replaceAll(' ', '-')}_${index}`, samples, sentence);
    }
    return takes;
  }

  async finish(): Promise<void> {
    const { folder } = this.#setup;
    if (folder === undefined) return;
    await writeFile(join(folder, 'transcripts.tsv'), `${this.#transcripts.join('\n')}\n`);
  }

  async #store(id: string, samples: Float32Array, transcript: string): Promise<void> {
    const { folder, voice } = this.#setup;
    if (folder === undefined) return;
    await mkdir(folder, { recursive: true });
    const { sampleRateHz } = voice.engine;
    await writeFile(join(folder, `${id}.wav`), encodeWavFile({ samples, sampleRateHz }));
    this.#transcripts.push(`${id}\t${transcript}`);
  }
}

function renderBoundaries(boundaries: readonly [Segmentation, BoundarySummary][]): string {
  const values = ({ semitones, decibels, ratePercent }: Boundary) => [
    semitones.toFixed(2),
    decibels.toFixed(2),
    ratePercent.toFixed(1),
  ];
  return formatTable(
    ['pieces', 'semitones', 'dB', 'rate %', 'dev.: semitones', 'dev.: dB', 'dev.: rate %'],
    boundaries.map(([segmentation, { change, deviation }]) => [
      segmentation,
      ...values(change),
      ...values(deviation),
    ]),
  );
}

function renderEffects(rows: readonly [string, Comparison][]): string {
  return formatTable(
    ['cue', 'measure', 'minimum', 'median', 'weakest', 'met'],
    rows.map(([cue, { measure, stated, median, least, isMet }]) => [
      cue,
      measure,
      stated.toFixed(2),
      median.toFixed(2),
      least.toFixed(2),
      isMet ? 'yes' : 'NO',
    ]),
  );
}

function renderWords(words: readonly [string, WordComparison][]): string {
  return formatTable(
    ['cue', 'word error rate', 'without cue', 'limit', 'met'],
    words.map(([cue, { errorRate, neutralErrorRate, limit, isMet }]) => [
      cue,
      ...[errorRate, neutralErrorRate, limit].map((share) => `${(100 * share).toFixed(1)} %`),
      isMet ? 'yes' : 'NO',
    ]),
  );
}
