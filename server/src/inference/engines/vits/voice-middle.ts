import { trackPitch } from '../../../audio/dsp/pitch-track.ts';
import { medianPitchHz } from '../acting/pitch-contour.ts';
import type { PiperConfig } from './piper-config.ts';
import { speakSymbols } from './speak-symbols.ts';
import type { VitsModel } from './vits-model.ts';

/** Heard by nobody: from its melody the middle of a voice is known. */
const CARRIER = 'ə lɑŋ ɹoʊd, ɑl ðə weɪ.';
const USUAL_MIDDLE_HZ = 150;
const CARRIER_SEED = 1;
/** A few numbers of a speaker's vector tell it from all others. */
const KEY_SIZE = 8;
const KEPT_MAX = 1000;

/** Knows around which pitch a voice speaks. The model has no number for it, so the voice says a few words first. */
export class VoiceMiddle {
  readonly #model: VitsModel;
  readonly #config: PiperConfig;
  readonly #known = new Map<string, number>();

  constructor(model: VitsModel, config: PiperConfig) {
    this.#model = model;
    this.#config = config;
  }

  async pitchHz(speaker: Float32Array, signal: AbortSignal): Promise<number> {
    const key = speaker.subarray(0, KEY_SIZE).join();
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const pitchHz = await this.#measure(speaker, signal);
    if (this.#known.size >= KEPT_MAX) this.#known.clear();
    this.#known.set(key, pitchHz);
    return pitchHz;
  }

  async #measure(speaker: Float32Array, signal: AbortSignal): Promise<number> {
    const voiced: number[] = [];
    const voice = { speaker, seed: CARRIER_SEED, signal };
    for await (const samples of speakSymbols(this.#model, this.#config, CARRIER, voice)) {
      voiced.push(...trackPitch(samples, this.#config.sampleRateHz).pitchHz);
    }
    return medianPitchHz(Float32Array.from(voiced), 0) ?? USUAL_MIDDLE_HZ;
  }
}
