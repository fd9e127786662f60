import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureSpeech, type SpeechMeasures } from '../src/audio/dsp/speech-measures.ts';
import { encodeWavFile } from '../src/audio/encode/wav.ts';
import { formatTable } from '../src/cli/table.ts';
import { builtInVoices } from '../src/compose/installed-voices.ts';
import { type Environment, loadConfig } from '../src/config/config.ts';
import { ASSETS_FOLDER } from '../src/config/package-info.ts';
import { SHOWN } from '../src/domain/speech/acting/cue-table.ts';
import { SpeechHost } from '../src/inference/runtime/speech/speech-host.ts';
import { type Comparison, compareCue, compareWords, type WordComparison } from './acting-comparison.ts';
import { type Cutting, type Join, type JoinSummary, summarizeJoins } from './acting-joins.ts';
import { ActingListener, type Misheard } from './acting-listener.ts';
import { HEARD_SENTENCES, MEASURED_SENTENCES } from './acting-sentences.ts';
import { type ActingVoice, hearText } from './acting-voice.ts';

const DEFAULT_VOICES = 'kokoro-fast:af_heart,vits:712';
const USUAL_LUFS = -20;
const SENTENCES = [...MEASURED_SENTENCES, ...HEARD_SENTENCES];

const HELP = `Usage: npm run acting -- [option…]

Speaks ${SENTENCES.length} sentences with each of twelve cues and without. Measures the first ${MEASURED_SENTENCES.length} of them and prints what moved
beside what the cue table states at least; listens to all of them and prints how many words our own recogniser
mishears. The exit status is 1 when a number falls short, or more words are misheard than a cue may cost.

  --voice LIST   Voices as ENGINE:NAME, separated by commas; ${DEFAULT_VOICES} unless given.
  --cue LIST     Only these cues, separated by commas.
  --joins        Instead: how a voice goes on where the pieces of a sentence meet, beside the same sentence said
                 in one go; with and without condition_on_previous_chunks.
  --out FOLDER   Keeps the audio as WAV, with transcripts.tsv beside it for a recogniser.
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
      joins: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const cues = values.cue === undefined ? Object.keys(SHOWN) : values.cue.split(',');
  const { config } = loadConfig(env);
  const settings = { modelsRoot: config.modelsFolder, assetsRoot: ASSETS_FOLDER, threads: 1 };
  const host = new SpeechHost(settings);
  const listener = await ActingListener.open(settings);
  let isMet = true;
  for (const spec of values.voice.split(',')) {
    const [engine = '', name = ''] = spec.split(':');
    const voice = { engine: await host.engine(engine), name, loudnessLufs: loudnessOf(name) };
    if (values.joins) {
      const joins = await summarizeJoins({ engine: voice.engine, voice: name });
      process.stdout.write(`\n${engine}, voice ${name}\n${renderJoins(joins)}`);
      continue;
    }
    const folder = values.out && join(values.out, `${engine}-${name}`);
    const { moved, words } = await compareVoice({ voice, listener, folder }, cues);
    process.stdout.write(`\n${engine}, voice ${name}\n${renderMoved(moved)}\n${renderWords(words)}`);
    isMet &&= [...moved, ...words].every(([, comparison]) => comparison.isMet);
  }
  return isMet ? 0 : 1;
}

function loudnessOf(engineVoice: string): number {
  return builtInVoices().find((voice) => voice.engineVoice === engineVoice)?.loudnessLufs ?? USUAL_LUFS;
}

interface VoiceComparison {
  readonly moved: [cue: string, Comparison][];
  readonly words: [cue: string, WordComparison][];
}

async function compareVoice(studio: Studio, cues: readonly string[]): Promise<VoiceComparison> {
  const recordings = new Recordings(studio);
  const own = await recordings.hearAll('neutral', SENTENCES);
  const compared: VoiceComparison = { moved: [], words: [] };
  for (const cue of cues) {
    const shown = SHOWN[cue];
    if (shown === undefined) throw new Error(`The table states no amounts for (${cue}).`);
    const acted = await recordings.hearAll(
      cue,
      SENTENCES.map((sentence) => placeCue(cue, sentence)),
    );
    const pairs = MEASURED_SENTENCES.map((_, index) => ({
      acted: acted[index]!.measures,
      own: own[index]!.measures,
    }));
    for (const comparison of compareCue(shown, pairs)) compared.moved.push([cue, comparison]);
    compared.words.push([cue, compareWords(acted.map(misheardOf), own.map(misheardOf))]);
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

/** Who speaks, who listens, and where it is kept, if anywhere. */
interface Studio {
  readonly voice: ActingVoice;
  readonly listener: ActingListener;
  readonly folder: string | undefined;
}

interface Take {
  readonly measures: SpeechMeasures;
  readonly misheard: Misheard;
}

const misheardOf = ({ misheard }: Take) => misheard;

/** Speaks and measures sentences, and keeps them where that is wanted. */
class Recordings {
  readonly #studio: Studio;
  readonly #transcripts: string[] = [];

  constructor(studio: Studio) {
    this.#studio = studio;
  }

  async hearAll(cue: string, texts: readonly string[]): Promise<Take[]> {
    const { voice, listener } = this.#studio;
    const { sampleRateHz } = voice.engine;
    const takes: Take[] = [];
    for (const [index, text] of texts.entries()) {
      const said = SENTENCES[index]!;
      const samples = await hearText(voice, text);
      const misheard = await listener.mishears(samples, sampleRateHz, said);
      takes.push({ measures: measureSpeech(samples, sampleRateHz), misheard });
      await this.#keep(`${cue.replaceAll(' ', '-')}_${index}`, samples, said);
    }
    return takes;
  }

  async finish(): Promise<void> {
    const { folder } = this.#studio;
    if (folder === undefined) return;
    await writeFile(join(folder, 'transcripts.tsv'), `${this.#transcripts.join('\n')}\n`);
  }

  async #keep(id: string, samples: Float32Array, transcript: string): Promise<void> {
    const { folder, voice } = this.#studio;
    if (folder === undefined) return;
    await mkdir(folder, { recursive: true });
    const { sampleRateHz } = voice.engine;
    await writeFile(join(folder, `${id}.wav`), encodeWavFile({ samples, sampleRateHz }));
    this.#transcripts.push(`${id}\t${transcript}`);
  }
}

function renderJoins(joins: readonly [Cutting, JoinSummary][]): string {
  const values = ({ semitones, decibels, pacePercent }: Join) => [
    semitones.toFixed(2),
    decibels.toFixed(2),
    pacePercent.toFixed(1),
  ];
  return formatTable(
    ['said', 'semitones', 'dB', 'pace %', 'off: semitones', 'off: dB', 'off: pace %'],
    joins.map(([cutting, { change, offWhole }]) => [cutting, ...values(change), ...values(offWhole)]),
  );
}

function renderMoved(rows: readonly [string, Comparison][]): string {
  return formatTable(
    ['cue', 'measure', 'stated', 'median', 'least', 'met'],
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
    ['cue', 'words misheard', 'without it', 'at most', 'met'],
    words.map(([cue, { misheard, ownMisheard, limit, isMet }]) => [
      cue,
      ...[misheard, ownMisheard, limit].map((share) => `${(100 * share).toFixed(1)} %`),
      isMet ? 'yes' : 'NO',
    ]),
  );
}
