import type { TtsEngineDefinition } from '../../domain/engines/tts-engine.ts';
import type { ZeroShotEngine, ZeroShotEngineName } from '../../domain/engines/zero-shot-engine.ts';
import type { Language } from '../../text/piece.ts';
import { POCKET } from './pocket/pocket-files.ts';
import { ZIPVOICE } from './zipvoice/zipvoice-files.ts';

/** The zero-shot engines by name. */
export const ZERO_SHOT_ENGINES: Readonly<Record<ZeroShotEngineName, ZeroShotEngine>> = {
  [ZIPVOICE]: { name: ZIPVOICE, needsTranscript: true },
  [POCKET]: { name: POCKET, needsTranscript: false },
};

/** Models that every engine needs: the lexicon of the English phonemizer. */
const SHARED_MODELS = ['lexicon-en-us'] as const;
/** Models of the Kokoro engines, whose front and fast decoders are part of this program. */
const KOKORO_MODELS = ['kokoro-voices', ...SHARED_MODELS] as const;

/** All TTS engines. Engine modules are imported when an engine is loaded, which happens only in worker processes. */
export const ENGINES: readonly TtsEngineDefinition[] = [
  {
    name: 'kokoro-fast',
    models: KOKORO_MODELS,
    load: async (context) => (await import('./kokoro/kokoro-engine.ts')).loadKokoro(context, 'fast'),
  },
  {
    name: 'kokoro-fast-v1',
    models: KOKORO_MODELS,
    load: async (context) => (await import('./kokoro/kokoro-engine.ts')).loadKokoro(context, 'fast-v1'),
  },
  {
    name: 'kokoro-stock',
    models: ['kokoro-82m-q8', ...KOKORO_MODELS],
    load: async (context) => (await import('./kokoro/kokoro-engine.ts')).loadKokoro(context, 'stock'),
  },
  {
    name: 'vits',
    models: ['piper-libritts-r-medium', ...SHARED_MODELS],
    load: async (context) => (await import('./vits/load-vits.ts')).loadVits(context),
  },
  {
    name: POCKET,
    models: [POCKET],
    load: async (context) => (await import('./pocket/load-pocket.ts')).loadPocket(context),
  },
  {
    name: ZIPVOICE,
    models: [ZIPVOICE],
    load: async (context) => (await import('./zipvoice/load-zipvoice.ts')).loadZipVoice(context),
  },
];

/** Dictionaries that a language needs with every engine. */
const LANGUAGE_MODELS: Partial<Record<Language, readonly string[]>> = { ja: ['dictionary-ja'] };

/** All models that an engine needs for a language. */
export function modelsFor(engine: string, language: Language): readonly string[] {
  return [...findEngine(engine).models, ...(LANGUAGE_MODELS[language] ?? [])];
}

/** Engines that exist once per voice; the engine name is the prefix followed by the voice name. */
const FAMILIES: readonly {
  readonly prefix: string;
  readonly define: (voice: string) => TtsEngineDefinition;
}[] = [
  {
    prefix: 'piper:',
    define: (voice) => ({
      name: `piper:${voice}`,
      models: [`piper:${voice}`, ...SHARED_MODELS],
      load: async (context) => (await import('./vits/load-vits.ts')).loadPiperVoice(context, voice),
    }),
  },
  {
    prefix: 'piper-folder:',
    define: (voice) => ({
      name: `piper-folder:${voice}`,
      models: SHARED_MODELS,
      load: async (context) => (await import('./vits/load-vits.ts')).loadPiperFile(context, voice),
    }),
  },
];

/** The definition of an engine; throws for an unknown name. */
export function findEngine(name: string): TtsEngineDefinition {
  const family = FAMILIES.find(({ prefix }) => name.startsWith(prefix));
  if (family !== undefined) return family.define(name.slice(family.prefix.length));
  const engine = ENGINES.find((candidate) => candidate.name === name);
  if (engine === undefined) {
    const names = ENGINES.map((candidate) => candidate.name).join(', ');
    throw new Error(`Unknown engine "${name}". Known engines: ${names}.`);
  }
  return engine;
}
