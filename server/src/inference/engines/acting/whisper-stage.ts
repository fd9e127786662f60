import { GaussianNoise } from '../../../audio/dsp/gaussian-noise.ts';
import type { AudioStage, TrackClock } from './audio-stage.ts';
import type { DeliveryTracks } from './delivery-tracks.ts';

const HOP_SECONDS = 0.01;
/** Order of linear prediction: two poles per kilohertz, plus some for the spectral tilt. */
const LPC_ORDER = 28;
/** Bandwidth expansion, which keeps resonances from sounding tonal. */
const BANDWIDTH_EXPANSION = 0.99;
/** A whisper has little energy below the first formant. */
const PRE_EMPHASIS = 0.85;
/** Level of a whisper relative to the same voice. */
const WHISPER_GAIN = 0.45;
/** Fricatives are kept, slightly louder than in voiced speech. */
const FRICTION_GAIN = 1.3;
/** Frames with less energy are silence. */
const ENERGY_MIN = 1e-9;
/** Settling time of the synthesis filter. */
const WARM_UP_SAMPLES = 64;

/**
 * Turns speech into a whisper: linear prediction estimates the vocal tract every 10 ms, and noise replaces the
 * glottal pulses as its excitation. Fricatives stay. Partial breathiness is a mix of whisper and voice.
 */
export class WhisperStage implements AudioStage {
  readonly #breath: Float32Array;
  readonly #samplesPerStep: number;
  readonly #hop: number;
  readonly #gain: number;
  readonly #noise: GaussianNoise;
  readonly #window: Float32Array;
  readonly #input: Float32Array;
  readonly #whisper: Float32Array;
  #inputEnd = 0;
  #whisperEnd = 0;
  #outputEnd = 0;

  constructor(
    tracks: DeliveryTracks,
    clock: TrackClock,
    { seed, gain = WHISPER_GAIN }: { readonly seed: number; readonly gain?: number },
  ) {
    this.#gain = gain;
    this.#breath = tracks.breath;
    this.#samplesPerStep = clock.samplesPerStep;
    this.#hop = Math.round(HOP_SECONDS * clock.sampleRateHz);
    this.#noise = new GaussianNoise(seed);
    this.#window = Float32Array.from(
      { length: 2 * this.#hop },
      (_, index) => 0.5 - 0.5 * Math.cos((Math.PI * (index + 0.5)) / this.#hop),
    );
    const length = Math.ceil(tracks.length * clock.samplesPerStep);
    this.#input = new Float32Array(length);
    this.#whisper = new Float32Array(length + 2 * this.#hop);
  }

  push(samples: Float32Array): Float32Array {
    const count = Math.min(samples.length, this.#input.length - this.#inputEnd);
    this.#input.set(samples.subarray(0, count), this.#inputEnd);
    this.#inputEnd += count;
    while (this.#whisperEnd + 2 * this.#hop <= this.#inputEnd) this.#whisperNext();
    return this.#take(this.#whisperEnd);
  }

  flush(): Float32Array {
    while (this.#whisperEnd < this.#inputEnd) this.#whisperNext();
    return this.#take(this.#inputEnd);
  }

  /** Adds the frame that begins at `#whisperEnd - hop`; this completes one more hop. */
  #whisperNext(): void {
    const from = this.#whisperEnd - this.#hop;
    this.#whisperEnd += this.#hop;
    const plain = new Float32Array(2 * this.#hop);
    const emphasised = new Float32Array(2 * this.#hop);
    for (let index = 0; index < plain.length; index++) {
      const sample = this.#input[from + index] ?? 0;
      plain[index] = sample * this.#window[index]!;
      emphasised[index] =
        (sample - PRE_EMPHASIS * (this.#input[from + index - 1] ?? 0)) * this.#window[index]!;
    }
    const [energy, lagOne] = [correlation(plain, 0), correlation(plain, 1)];
    if (energy < ENERGY_MIN) return;
    const friction = frictionOf(lagOne / energy);
    const noise = this.#filterNoise(predict(emphasised)).map((value, index) => value * this.#window[index]!);
    const scale = Math.sqrt(energy / correlation(noise, 0)) * (1 - friction);
    for (let index = 0; index < plain.length; index++) {
      const at = from + index;
      if (at >= 0) this.#whisper[at]! += noise[index]! * scale + plain[index]! * friction * FRICTION_GAIN;
    }
  }

  #filterNoise(coefficients: Float64Array): Float32Array {
    const filtered = new Float32Array(WARM_UP_SAMPLES + 2 * this.#hop);
    for (let index = 0; index < filtered.length; index++) {
      let value = this.#noise.next();
      for (let pole = 1; pole <= Math.min(LPC_ORDER, index); pole++) {
        value -= coefficients[pole]! * filtered[index - pole]!;
      }
      filtered[index] = value;
    }
    return filtered.subarray(WARM_UP_SAMPLES);
  }

  #take(end: number): Float32Array {
    const from = this.#outputEnd;
    const to = Math.max(from, Math.min(end, this.#inputEnd));
    this.#outputEnd = to;
    const out = this.#input.slice(from, to);
    for (let at = from; at < to; at++) {
      const breath = this.#breath[Math.floor(at / this.#samplesPerStep)] ?? 0;
      if (breath === 0) continue;
      out[at - from] = out[at - from]! * Math.sqrt(1 - breath) + this.#whisper[at]! * this.#gain * breath;
    }
    return out;
  }
}

/** Degree of friction from the lag-one autocorrelation: 0 for vowels, 1 for [s]. */
function frictionOf(lagOneCorrelation: number): number {
  return Math.min(1, Math.max(0, (0.2 - lagOneCorrelation) / 0.3));
}

function correlation(frame: Float32Array, lag: number): number {
  let sum = 0;
  for (let index = lag; index < frame.length; index++) sum += frame[index]! * frame[index - lag]!;
  return sum;
}

/** Coefficients of the all-pole filter that fits the frame's spectrum (Levinson-Durbin recursion). */
function predict(frame: Float32Array): Float64Array {
  const correlations = Float64Array.from({ length: LPC_ORDER + 1 }, (_, lag) => correlation(frame, lag));
  // White noise correction keeps the filter stable on pure tones and silence.
  let error = correlations[0]! * 1.0001 + 1e-9;
  const coefficients = new Float64Array(LPC_ORDER + 1);
  coefficients[0] = 1;
  for (let order = 1; order <= LPC_ORDER; order++) {
    let reflection = correlations[order]!;
    for (let index = 1; index < order; index++)
      reflection += coefficients[index]! * correlations[order - index]!;
    reflection = -reflection / error;
    const previous = coefficients.slice();
    for (let index = 1; index < order; index++) {
      coefficients[index] = previous[index]! + reflection * previous[order - index]!;
    }
    coefficients[order] = reflection;
    error *= 1 - reflection * reflection;
  }
  return coefficients.map((value, pole) => value * BANDWIDTH_EXPANSION ** pole);
}
