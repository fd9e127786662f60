import type { ZeroShotEngine } from '../engines/zero-shot-engine.ts';
import type { Voice } from '../voices/voice.ts';

/**
 * The engine of a wire model. `kokoro-fast-v1` has the previous fast decoder. `best` is Kokoro with the best decoder that
 * this machine runs in real time.
 */
export type EngineProfile = 'kokoro-fast' | 'kokoro-fast-v1' | 'kokoro-stock' | 'best';
export const ENGINE_PROFILES = [
  'kokoro-fast',
  'kokoro-fast-v1',
  'kokoro-stock',
  'best',
] as const satisfies readonly EngineProfile[];

/** The engine profile of each wire model. `MYNAH_WIRE_MODELS` overrides and extends it. */
export const DEFAULT_WIRE_MODELS: Readonly<Record<string, EngineProfile>> = {
  s1: 'kokoro-fast',
  's1-mini': 'kokoro-fast',
  'agent-x0': 'kokoro-fast',
  'speech-1.5': 'kokoro-fast',
  'speech-1.6': 'kokoro-fast',
  's2-pro': 'best',
  's2.1-pro': 'best',
  's2.1-pro-free': 'best',
  'drama-3-preview': 'best',
};

/** Engines that decode the first words of a sentence before they have read the rest of it. */
const ENGINES_WITH_OPENINGS: ReadonlySet<string> = new Set<EngineProfile>(['kokoro-fast', 'kokoro-fast-v1']);

export function canDecodeOpenings(engine: string): boolean {
  return ENGINES_WITH_OPENINGS.has(engine);
}

/** Selects the engine of a request. */
export class EngineSelector {
  readonly #wireModels: Readonly<Record<string, string>>;
  readonly #bestKokoro: () => string;
  readonly #zeroShotEngines: readonly ZeroShotEngine[];

  constructor(options: {
    /** Entries that replace or add to `DEFAULT_WIRE_MODELS`. */
    readonly overrides: Readonly<Record<string, string>>;
    /** Name of the Kokoro engine with the best decoder that this machine runs faster than real time. */
    readonly bestKokoro: () => string;
    /** Installed zero-shot engines, in order of preference. */
    readonly zeroShotEngines?: readonly ZeroShotEngine[];
  }) {
    this.#wireModels = { ...DEFAULT_WIRE_MODELS, ...options.overrides };
    this.#bestKokoro = options.bestKokoro;
    this.#zeroShotEngines = options.zeroShotEngines ?? [];
  }

  /**
   * A voice with a reference recording is assigned to a zero-shot engine, a voice of another engine than Kokoro to
   * its own engine. The model only selects between the Kokoro engines.
   */
  selectEngine(model: string, voice: Voice): string {
    const { recording } = voice;
    const able = this.#zeroShotEngines.find(
      ({ needsTranscript }) => !needsTranscript || recording?.text.trim(),
    );
    if (recording !== undefined && able !== undefined) return able.name;
    if (voice.engine !== 'kokoro') return voice.engine;
    const profile = this.#wireModels[model] ?? 'kokoro-fast';
    return profile === 'best' ? this.#bestKokoro() : profile;
  }
}
