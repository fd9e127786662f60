import { GaussianNoise } from '../../../audio/dsp/gaussian-noise.ts';
import type { DeliveryTracks } from './tracks.ts';
import type { VoiceClock, VoiceStage } from './voice-stage.ts';

const HOP_SECONDS = 0.01;
/** Poles of the mouth, two for each kilohertz and some for the rest. */
const ORDER = 28;
/** Widens every resonance a little, so that none of them rings like a pitch. */
const SOFTENING = 0.99;
/** A whisper has little below its first formant; this takes out what the voice had there. */
const PRE_EMPHASIS = 0.85;
/** How much a whisper is below the same voice. */
const WHISPER_GAIN = 0.45;
/** Consonants of breath are kept as they are, and a little clearer than in the voice. */
const HISS_GAIN = 1.3;
/** Quieter than this a frame is silence. */
const ENERGY_MIN = 1e-9;
/** Noise is sent through the mouth for this long before it is used, so that it rings already. */
const RUN_IN_SAMPLES = 64;

/**
 * Takes the voice out of finished speech: what the mouth does is found by linear prediction, 10 ms at a time, and
 * noise is sent through it instead of the voice's pulses; consonants of breath stay. Part of a whisper is mixed
 * with the rest of the voice.
 */
export class Whisperer implements VoiceStage {
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
    clock: VoiceClock,
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
    const room = Math.min(samples.length, this.#input.length - this.#inputEnd);
    this.#input.set(samples.subarray(0, room), this.#inputEnd);
    this.#inputEnd += room;
    while (this.#whisperEnd + 2 * this.#hop <= this.#inputEnd) this.#whisperNext();
    return this.#take(this.#whisperEnd);
  }

  flush(): Float32Array {
    while (this.#whisperEnd < this.#inputEnd) this.#whisperNext();
    return this.#take(this.#inputEnd);
  }

  /** Adds the frame that begins at `#whisperEnd - hop`; after it, one more hop is finished. */
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
    const [energy, slowness] = [correlation(plain, 0), correlation(plain, 1)];
    if (energy < ENERGY_MIN) return;
    const hiss = hissOf(slowness / energy);
    const noise = this.#throughMouth(predict(emphasised)).map((value, index) => value * this.#window[index]!);
    const scale = Math.sqrt(energy / correlation(noise, 0)) * (1 - hiss);
    for (let index = 0; index < plain.length; index++) {
      const at = from + index;
      if (at >= 0) this.#whisper[at]! += noise[index]! * scale + plain[index]! * hiss * HISS_GAIN;
    }
  }

  #throughMouth(coefficients: Float64Array): Float32Array {
    const ringing = new Float32Array(RUN_IN_SAMPLES + 2 * this.#hop);
    for (let index = 0; index < ringing.length; index++) {
      let value = this.#noise.next();
      for (let pole = 1; pole <= Math.min(ORDER, index); pole++) {
        value -= coefficients[pole]! * ringing[index - pole]!;
      }
      ringing[index] = value;
    }
    return ringing.subarray(RUN_IN_SAMPLES);
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

/** How much of a frame is hiss, from how alike neighbouring samples are: 0 for vowels, 1 for an s. */
function hissOf(slowness: number): number {
  return Math.min(1, Math.max(0, (0.2 - slowness) / 0.3));
}

function correlation(frame: Float32Array, lag: number): number {
  let sum = 0;
  for (let index = lag; index < frame.length; index++) sum += frame[index]! * frame[index - lag]!;
  return sum;
}

/** Coefficients of the all-pole filter that comes nearest to the frame's spectrum (Levinson and Durbin). */
function predict(frame: Float32Array): Float64Array {
  const correlations = Float64Array.from({ length: ORDER + 1 }, (_, lag) => correlation(frame, lag));
  // A little white noise keeps the filter stable on pure tones and silence.
  let error = correlations[0]! * 1.0001 + 1e-9;
  const coefficients = new Float64Array(ORDER + 1);
  coefficients[0] = 1;
  for (let order = 1; order <= ORDER; order++) {
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
  return coefficients.map((value, pole) => value * SOFTENING ** pole);
}
