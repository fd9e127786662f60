import { DEFAULT_WIRE_MODELS } from '../../domain/speech/engine-choice.ts';
import type { ApiConfig } from '../dependencies.ts';

/** The TTS model ids that clients in the field send. */
export const WIRE_MODELS = Object.keys(DEFAULT_WIRE_MODELS);

const ALIASES: Readonly<Record<string, string>> = { s2: 's2-pro', 's2.1': 's2.1-pro' };

/** Models of the first family, which know one speaker only. */
const SINGLE_SPEAKER = new Set(['s1', 's1-mini', 'speech-1.5', 'speech-1.6']);

/**
 * The model a `model` header means. Spelling is forgiven (`S2 Pro`, `fish-audio/s1`); an absent or unknown
 * model gives the default, never an error, because that is what clients rely on.
 */
export function resolveWireModel(
  header: string | undefined,
  config: Pick<ApiConfig, 'wireModels' | 'defaultModel'>,
): string {
  return findWireModel(header ?? '', config) ?? config.defaultModel;
}

/** The model a name means, with the same forgiveness; undefined when there is none. */
export function findWireModel(name: string, config: Pick<ApiConfig, 'wireModels'>): string | undefined {
  const spelled = normalize(name);
  const named = ALIASES[spelled] ?? spelled;
  return knownWireModels(config).find((model) => normalize(model) === named);
}

/** All models of this server. */
export function knownWireModels(config: Pick<ApiConfig, 'wireModels'>): readonly string[] {
  return [...new Set([...Object.keys(config.wireModels), ...WIRE_MODELS])];
}

/** Whether the model refuses several speakers. */
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
