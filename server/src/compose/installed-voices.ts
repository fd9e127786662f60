import { readFile, stat } from 'node:fs/promises';
import type { Config } from '../config/config.ts';
import { kokoroVoices } from '../domain/voices/catalogue/kokoro-voices.ts';
import { numberedVoices } from '../domain/voices/catalogue/numbered-voices.ts';
import { piperVoices } from '../domain/voices/catalogue/piper-voices.ts';
import type { Voice } from '../domain/voices/voice.ts';
import { type PiperConfig, parsePiperConfig } from '../inference/engines/vits/piper-config.ts';
import { findPiperVoices } from '../inference/engines/vits/piper-folder.ts';
import { SPEAKERS } from '../inference/engines/vits/speakers.ts';
import type { ModelStore } from '../inference/models/store/model-store.ts';

/** What the one voice of a model with a single speaker is called. */
const ONLY_SPEAKER = 'default';
const PIPER_MODEL = /^piper:(.+)$/;

/** The voices every installation has, best first. */
export function builtInVoices(): readonly Voice[] {
  return [
    ...kokoroVoices(),
    ...numberedVoices(
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

/** The built-in voices, and the Piper voices of the model store and of the operator's folder. */
export async function findVoices(
  config: Pick<Config, 'piperVoicesFolder'>,
  { store, onProblem }: { store: ModelStore; onProblem: (problem: string) => void },
): Promise<readonly Voice[]> {
  const pulled = await pulledPiperVoices(store, onProblem);
  const dropped = config.piperVoicesFolder
    ? await droppedPiperVoices(config.piperVoicesFolder, onProblem)
    : [];
  const voices = new Map(builtInVoices().map((voice) => [voice.name, voice]));
  // A voice in the operator's folder is what they want to hear, whatever else has its name.
  for (const voice of [...pulled, ...dropped]) voices.set(voice.name, voice);
  return [...voices.values()];
}

async function droppedPiperVoices(folder: string, onProblem: (problem: string) => void): Promise<Voice[]> {
  const { voices, broken } = await findPiperVoices(folder);
  for (const { path, problem } of broken) onProblem(`${path}: ${problem}`);
  const found: Voice[] = [];
  for (const { name, modelPath, config } of voices) {
    found.push(...(await toVoices(`piper-folder:${name}`, { name, path: modelPath, config })));
  }
  return found;
}

async function pulledPiperVoices(store: ModelStore, onProblem: (problem: string) => void): Promise<Voice[]> {
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
  return piperVoices({
    name: found.name,
    engine,
    language: language ?? 'und',
    locale: languageTag,
    speakers: [first, ...others],
    addedAtMs: Math.round((await stat(found.path)).mtimeMs),
  });
}
