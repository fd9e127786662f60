import { trackPitch } from '../../../audio/dsp/pitch-track.ts';
import { medianPitchHz } from '../acting/pitch-contour.ts';
import type { PiperConfig } from './piper-config.ts';
import { synthesizeSymbols } from './synthesize-symbols.ts';
import type { VitsModel } from './vits-model.ts';

/** Carrier sentence for measuring the median pitch of a speaker; it is not output. */
const CARRIER = 'ə lɑŋ ɹoʊd, ɑl ðə weɪ.';
const DEFAULT_MEDIAN_HZ = 150;
const CARRIER_SEED = 1;
/** Values of a speaker vector in the cache key; a few identify a speaker. */
const KEY_SIZE = 8;
const CACHED_MAX = 1000;

/** Median pitch of speakers, with a cache. The model does not provide it, so a carrier sentence is measured. */
export class VoiceMedianPitch {
  readonly #model: VitsModel;
  readonly #config: PiperConfig;
  readonly #cache = new Map<string, number>();

  constructor(model: VitsModel, config: PiperConfig) {
    this.#model = model;
    this.#config = config;
  }

  async pitchHz(speaker: Float32Array, signal: AbortSignal): Promise<number> {
    const key = speaker.subarray(0, KEY_SIZE).join();
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    const pitchHz = await this.#measure(speaker, signal);
    if (this.#cache.size >= CACHED_MAX) this.#cache.clear();
    this.#cache.set(key, pitchHz);
    return pitchHz;
  }

  async #measure(speaker: Float32Array, signal: AbortSignal): Promise<number> {
    const voiced: number[] = [];
    const voice = { speaker, seed: CARRIER_SEED, signal };
    for await (const samples of synthesizeSymbols(this.#model, this.#config, CARRIER, voice)) {
      voiced.push(...trackPitch(samples, this.#config.sampleRateHz).pitchHz);
    }
    return medianPitchHz(Float32Array.from(voiced), 0) ?? DEFAULT_MEDIAN_HZ;
  }
}
