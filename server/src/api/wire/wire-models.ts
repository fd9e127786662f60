import { DEFAULT_WIRE_MODELS } from '../../domain/speech/engine-selector.ts';
import type { ApiConfig } from '../dependencies.ts';

/** The TTS model ids of the public API. */
export const WIRE_MODELS = Object.keys(DEFAULT_WIRE_MODELS);

const ALIASES: Readonly<Record<string, string>> = { s2: 's2-pro', 's2.1': 's2.1-pro' };

/** Models that support one speaker only. */
const SINGLE_SPEAKER = new Set(['s1', 's1-mini', 'speech-1.5', 'speech-1.6']);

/**
 * Resolves a `model` header. Case, spaces and the prefix `fish-audio/` are ignored; an absent or unknown model
 * gives the default, never an error, because clients rely on that.
 */
export function resolveWireModel(
  header: string | undefined,
  config: Pick<ApiConfig, 'wireModels' | 'defaultModel'>,
): string {
  return findWireModel(header ?? '', config) ?? config.defaultModel;
}

/** Finds a model by name with the same tolerance. */
export function findWireModel(name: string, config: Pick<ApiConfig, 'wireModels'>): string | undefined {
  const spelled = normalize(name);
  const named = Object.hasOwn(ALIASES, spelled) ? ALIASES[spelled] : spelled;
  return knownWireModels(config).find((model) => normalize(model) === named);
}

/** All models of this server. */
export function knownWireModels(config: Pick<ApiConfig, 'wireModels'>): readonly string[] {
  return [...new Set([...Object.keys(config.wireModels), ...WIRE_MODELS])];
}

/** Whether the model rejects a list of voices. */
export function isSingleSpeakerModel(model: string): boolean {
  return SINGLE_SPEAKER.has(model);
}

function normalize(model: string): string {
  return model
    .trim()
    .toLowerCase()
    .replace(/^fish-audio\//, '')
    .replaceAll(/[\s_]+/g, '-');
}
