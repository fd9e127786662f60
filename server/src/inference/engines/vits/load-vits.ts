import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { TtsEngine, TtsEngineContext } from '../../../domain/engines/tts-engine.ts';
import { readPiperTokensFile } from '../../phonemizer/tokens/piper-tokens.ts';
import { type DeriveFile, deriveInFolder, pruneDerived } from '../onnx/derive-in-folder.ts';
import { LIBRITTS_R_LOUDNESS } from './libritts-loudness.ts';
import { CUT_VERSION, type OpenedVits, openVitsGraph } from './open-graph.ts';
import { type PiperConfig, parsePiperConfig } from './piper-config.ts';
import { createVitsEngine } from './vits-engine.ts';
import { readSpeakers } from './vits-model.ts';

const MODEL = 'piper-libritts-r-medium';
/** Derived files of an operator's voice take about 100 MB, and seconds to derive again. */
const DERIVED_UNUSED_MAX_MS = 14 * 24 * 3_600_000;

/** Loads the embedded model of 904 English speakers. Its voices are named 0 to 903. */
export async function loadVits(context: TtsEngineContext): Promise<TtsEngine> {
  const opened = await openEmbedded(context);
  const symbolIds = readPiperTokensFile(await readFile(await context.file(MODEL, 'tokens.txt'), 'utf8'));
  const config: PiperConfig = { ...LIBRITTS_R, symbolIds };
  const phonemizer = await context.phonemizer();
  const { threads } = context;
  const textLoudness = LIBRITTS_R_LOUDNESS;
  return createVitsEngine({ name: 'vits', opened, config, phonemizer, threads, textLoudness });
}

/** The speaker vectors of the embedded model. */
export async function loadSpeakers(context: TtsEngineContext): Promise<readonly Float32Array[]> {
  const opened = await openEmbedded(context);
  const table = await readSpeakers(opened);
  const { speakerCount, speakerSize } = opened.shape;
  return Array.from({ length: speakerCount }, (_, row) =>
    table.subarray(row * speakerSize, (row + 1) * speakerSize),
  );
}

async function openEmbedded(context: TtsEngineContext): Promise<OpenedVits> {
  return openVitsGraph(await context.file(MODEL, 'model.onnx'), deriveWith(context, MODEL));
}

/** Loads a Piper voice that was pulled or imported into the model store, as `piper:<voice>`. */
export async function loadPiperVoice(context: TtsEngineContext, voice: string): Promise<TtsEngine> {
  const modelId = `piper:${voice}`;
  const config = parsePiperConfig(await readFile(await context.file(modelId, `${voice}.onnx.json`), 'utf8'));
  const opened = await openVitsGraph(
    await context.file(modelId, `${voice}.onnx`),
    deriveWith(context, modelId),
  );
  const phonemizer = await context.phonemizer();
  return createVitsEngine({ name: modelId, opened, config, phonemizer, threads: context.threads });
}

/**
 * Loads a Piper voice from the operator's folder. Derived files are stored in a separate folder, derived again when
 * the voice file changes, and removed when unused for 14 days.
 */
export async function loadPiperFile(context: TtsEngineContext, voice: string): Promise<TtsEngine> {
  if (context.piperFolder === undefined) throw new Error('No folder of Piper voices is configured.');
  const modelPath = join(context.piperFolder, `${voice}.onnx`);
  const config = parsePiperConfig(await readFile(`${modelPath}.json`, 'utf8'));
  const { size, mtimeMs } = await stat(modelPath);
  const folder = `${voice}-${size}-${Math.round(mtimeMs)}-v${CUT_VERSION}`;
  const opened = await openVitsGraph(modelPath, deriveInFolder(join(context.derivedFolder, folder)));
  // A failed clean-up does not prevent the use of the voice.
  await pruneDerived(context.derivedFolder, folder, DERIVED_UNUSED_MAX_MS).catch(() => {});
  const phonemizer = await context.phonemizer();
  const { threads } = context;
  return createVitsEngine({ name: `piper-folder:${voice}`, opened, config, phonemizer, threads });
}

/**
 * The published `en_US-libritts_r-medium.onnx.json`, which the package omits, except for the length scale: with the
 * published low duration noise the model speaks 270 to 295 words per minute, with full noise (like its speakers)
 * 217 to 241.
 */
const LIBRITTS_R = {
  sampleRateHz: 22050,
  phonemeType: 'espeak',
  espeakVoice: 'en-us',
  language: 'en-US',
  languageTag: 'en-US',
  speakerRows: new Map<string, number>(),
  noiseScale: 0.333,
  lengthScale: 1.2,
  durationNoiseScale: 0.333,
} as const;

function deriveWith(context: TtsEngineContext, modelId: string): DeriveFile {
  return (name, make) => context.derive(modelId, name, CUT_VERSION, make);
}
