import type { ZeroShotEngine } from '../engines/zero-shot-engine.ts';
import type { Voice } from '../voices/voice.ts';

/** What a wire model stands for: an engine, or `best`, Kokoro with the better decoder this machine can afford. */
export type EngineProfile = 'kokoro-fast' | 'kokoro-stock' | 'best';
export const ENGINE_PROFILES = [
  'kokoro-fast',
  'kokoro-stock',
  'best',
] as const satisfies readonly EngineProfile[];

/** Which engine answers which wire model. `MYNAH_WIRE_MODELS` changes or adds entries. */
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

/** Picks the engine of a request. */
export class EngineSelector {
  readonly #wireModels: Readonly<Record<string, string>>;
  readonly #bestKokoro: () => string;
  readonly #zeroShotEngines: readonly ZeroShotEngine[];

  constructor(options: {
    /** Entries that replace or add to `DEFAULT_WIRE_MODELS`. */
    readonly overrides: Readonly<Record<string, string>>;
    /** The better of Kokoro's decoders that this machine runs faster than real time. */
    readonly bestKokoro: () => string;
    /** The installed engines that speak like a recording, the best first. */
    readonly zeroShotEngines?: readonly ZeroShotEngine[];
  }) {
    this.#wireModels = { ...DEFAULT_WIRE_MODELS, ...options.overrides };
    this.#bestKokoro = options.bestKokoro;
    this.#zeroShotEngines = options.zeroShotEngines ?? [];
  }

  /** A voice that only one engine has is spoken by that engine, whatever the model; one with a recording by whoever speaks like it. */
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
