import { readFile, stat } from 'node:fs/promises';
import type { Config } from '../config/config.ts';
import { listKokoroVoices } from '../domain/voices/catalogue/kokoro-voices.ts';
import { createNumberedVoices } from '../domain/voices/catalogue/numbered-voices.ts';
import { createPiperVoices } from '../domain/voices/catalogue/piper-voices.ts';
import type { Voice } from '../domain/voices/voice.ts';
import { type PiperConfig, parsePiperConfig } from '../inference/engines/vits/piper-config.ts';
import { findPiperVoices } from '../inference/engines/vits/piper-folder.ts';
import { SPEAKERS } from '../inference/engines/vits/speakers.ts';
import type { ModelStore } from '../inference/models/store/model-store.ts';

/** Name of the speaker of a single-speaker model. */
const ONLY_SPEAKER = 'default';
const PIPER_MODEL = /^piper:(.+)$/;

/** The built-in voices, in the order of lists. */
export function listBuiltInVoices(): readonly Voice[] {
  return [
    ...listKokoroVoices(),
    ...createNumberedVoices(
      {
        engine: 'vits',
        prefix: 'libritts',
        speakerCount: 904,
        language: 'en-US',
        publishedAtMs: Date.UTC(2023, 6, 14),
        typicalLoudnessLufs: -19,
      },
      SPEAKERS,
    ),
  ];
}

/** The built-in voices and the Piper voices of the model store and of the operator's folder. */
export async function findInstalledVoices(
  config: Pick<Config, 'piperVoicesFolder'>,
  { store, onProblem }: { store: ModelStore; onProblem: (problem: string) => void },
): Promise<readonly Voice[]> {
  const fromModelStore = await findModelStoreVoices(store, onProblem);
  const fromFolder = config.piperVoicesFolder
    ? await findFolderVoices(config.piperVoicesFolder, onProblem)
    : [];
  const voices = new Map(listBuiltInVoices().map((voice) => [voice.name, voice]));
  // A voice in the operator's folder takes precedence over others of the same name.
  for (const voice of [...fromModelStore, ...fromFolder]) voices.set(voice.name, voice);
  return [...voices.values()];
}

async function findFolderVoices(folder: string, onProblem: (problem: string) => void): Promise<Voice[]> {
  const { voices, broken } = await findPiperVoices(folder);
  for (const { path, problem } of broken) onProblem(`${path}: ${problem}`);
  const found: Voice[] = [];
  for (const { name, modelPath, config } of voices) {
    found.push(...(await toVoices(`piper-folder:${name}`, { name, path: modelPath, config })));
  }
  return found;
}

async function findModelStoreVoices(
  store: ModelStore,
  onProblem: (problem: string) => void,
): Promise<Voice[]> {
  const found: Voice[] = [];
  for (const { model, state } of await store.list()) {
    const name = PIPER_MODEL.exec(model.id)?.[1];
    const installed = name !== undefined && state === 'installed' ? await store.find(model.id) : undefined;
    if (name === undefined || installed === undefined) continue;
    try {
      const config = parsePiperConfig(await readFile(installed.file(`${name}.onnx.json`), 'utf8'));
      found.push(...(await toVoices(model.id, { name, path: installed.file(`${name}.onnx`), config })));
    } catch (error) {
      onProblem(`${model.id}: ${(error as Error).message}`);
    }
  }
  return found;
}

async function toVoices(
  engine: string,
  found: { readonly name: string; readonly path: string; readonly config: PiperConfig },
): Promise<readonly Voice[]> {
  const { language, languageTag, speakerRows } = found.config;
  const [first = ONLY_SPEAKER, ...others] = speakerRows.keys();
  return createPiperVoices({
    name: found.name,
    engine,
    language: language ?? 'und',
    locale: languageTag,
    speakers: [first, ...others],
    addedAtMs: Math.round((await stat(found.path)).mtimeMs),
  });
}
