import type { WordTime } from '../../../domain/engines/tts-engine.ts';

/** Audio inserted into the speech of an utterance. */
export interface Splice {
  /** Nominal position in the speech, in samples. */
  readonly at: number;
  /**
   * The gap between the words around the splice, in samples. The speech is cut where it is quiet within the gap, since
   * alignment alone does not determine where a word ends and the next one begins. Absent: cut at `at`.
   */
  readonly gap?: { readonly from: number; readonly to: number };
  /** Duration in samples. */
  readonly length: number;
  readonly render: () => Float32Array | Promise<Float32Array>;
}

/** Fade of the speech on either side of an insertion. */
const FADE_SAMPLES = 200;
/** Length over which the energy of a cut position is measured, and distance of the positions compared. */
const QUIET_SAMPLES = 480;
const QUIET_STEP_SAMPLES = 24;
/** Positions below -55 dB, or with at most this many times the least energy, are quiet. */
const SILENT_ENERGY = QUIET_SAMPLES * 10 ** -5.5;
const QUIET_RATIO = 4;

/**
 * Inserts vocal sounds and pauses into speech. Splices are in order; those past the end are appended. Speech is held
 * back only from the start of the next gap to its end.
 */
export async function* spliceInto(
  speech: AsyncIterable<Float32Array>,
  splices: readonly Splice[],
): AsyncGenerator<Float32Array> {
  if (splices.length === 0) {
    yield* speech;
    return;
  }
  const buffer = new CutBuffer();
  let done = 0;
  for await (const samples of speech) {
    buffer.push(samples);
    for (; done < splices.length && buffer.end >= knownFrom(splices[done]!); done++) {
      const before = buffer.takeBefore(splices[done]!);
      if (before.length > 0) yield before;
      yield await splices[done]!.render();
    }
    const held = done < splices.length ? heldFrom(splices[done]!) : Number.POSITIVE_INFINITY;
    const free = buffer.take(held);
    if (free.length > 0) yield free;
  }
  for (; done < splices.length; done++) {
    const before = buffer.takeBefore(splices[done]!);
    if (before.length > 0) yield before;
    yield await splices[done]!.render();
  }
  const rest = buffer.take(Number.POSITIVE_INFINITY);
  if (rest.length > 0) yield rest;
}

/** The position up to which the speech must be known to cut it. */
function knownFrom({ at, gap }: Splice): number {
  return Math.max(at, gap?.to ?? at) + FADE_SAMPLES;
}

/** The position from which the speech is held back. */
function heldFrom({ at, gap }: Splice): number {
  return Math.min(at, gap?.from ?? at) - FADE_SAMPLES;
}

/** Speech that may still be cut. */
class CutBuffer {
  #samples: Float32Array = new Float32Array(0);
  /** Position of the first sample in the speech. */
  #position = 0;
  /** The last cut: the speech after it is faded in. */
  #lastCut: { readonly nominal: number; readonly at: number } | undefined;

  get end(): number {
    return this.#position + this.#samples.length;
  }

  push(samples: Float32Array): void {
    const joined = new Float32Array(this.#samples.length + samples.length);
    joined.set(this.#samples);
    joined.set(samples, this.#samples.length);
    this.#samples = joined;
  }

  /** Takes the speech before a splice and fades it out. */
  takeBefore(splice: Splice): Float32Array {
    const at = this.#cutOf(splice);
    const taken = this.take(at);
    fadeOut(taken);
    this.#lastCut = { nominal: splice.at, at };
    return taken;
  }

  /** The position of the cut for a splice; several splices at one place share a cut. */
  #cutOf({ at: nominal, gap }: Splice): number {
    if (this.#lastCut?.nominal === nominal) return this.#lastCut.at;
    const first = this.#lastCut?.at ?? 0;
    const range = gap && { from: Math.max(gap.from, first), to: Math.min(gap.to, this.end) };
    const quiet = range && this.#longestQuiet(range);
    return Math.min(this.end, Math.max(first, quiet ?? nominal));
  }

  /**
   * The middle of the longest quiet stretch of a range: the closure of a plosive ("stop") may be even quieter than the
   * pause before the word, but is shorter. Undefined if the range is too short to compare positions.
   */
  #longestQuiet({ from, to }: { readonly from: number; readonly to: number }): number | undefined {
    const energies: number[] = [];
    for (let start = from; start + QUIET_SAMPLES <= to; start += QUIET_STEP_SAMPLES) {
      energies.push(this.#energy(start, start + QUIET_SAMPLES));
    }
    const limit = Math.max(SILENT_ENERGY, QUIET_RATIO * Math.min(...energies));
    let longest: { readonly start: number; readonly length: number } | undefined;
    let start = 0;
    for (const [index, energy] of energies.entries()) {
      if (energy > limit) start = index + 1;
      else if (index + 1 - start > (longest?.length ?? 0)) longest = { start, length: index + 1 - start };
    }
    if (longest === undefined) return undefined;
    const middle = Math.floor(longest.start + (longest.length - 1) / 2);
    return from + middle * QUIET_STEP_SAMPLES + QUIET_SAMPLES / 2;
  }

  #energy(from: number, to: number): number {
    let sum = 0;
    for (let index = from - this.#position; index < to - this.#position; index++) {
      const sample = this.#samples[index] ?? 0;
      sum += sample * sample;
    }
    return sum;
  }

  /** Takes the speech before a position; the part after the last cut is faded in. */
  take(to: number): Float32Array {
    const length = Math.max(0, Math.min(this.#samples.length, to - this.#position));
    const taken = this.#samples.slice(0, length);
    if (this.#lastCut !== undefined) fadeIn(taken, this.#position - this.#lastCut.at);
    this.#samples = this.#samples.subarray(length);
    this.#position += length;
    return taken;
  }
}

/** Shifts word times by the duration of the splices before them. */
export function spliceTimes(
  times: readonly WordTime[],
  splices: readonly Splice[],
  sampleRateHz: number,
): WordTime[] {
  return times.map((time) => {
    const middle = ((time.startSeconds + time.endSeconds) / 2) * sampleRateHz;
    const before = splices.filter(({ at }) => at <= middle);
    const after = splices.filter(({ at }) => at > middle);
    const shiftSeconds = before.reduce((sum, { length }) => sum + length, 0) / sampleRateHz;
    // Word times extend into the gaps around the word, but not across a splice.
    const cutBefore = Math.max(0, ...before.map(({ at }) => at)) / sampleRateHz;
    const cutAfter = Math.min(...after.map(({ at }) => at)) / sampleRateHz;
    return {
      ...time,
      startSeconds: Math.max(time.startSeconds, cutBefore) + shiftSeconds,
      endSeconds: Math.min(time.endSeconds, cutAfter) + shiftSeconds,
      ...(time.phonemes && {
        phonemes: time.phonemes.map(({ symbol, startSeconds, endSeconds }) => ({
          symbol,
          startSeconds: startSeconds + shiftSeconds,
          endSeconds: endSeconds + shiftSeconds,
        })),
      }),
    };
  });
}

/** `offset`: distance of the first sample from the cut. */
function fadeIn(samples: Float32Array, offset: number): void {
  for (let index = 0; index < samples.length && index + offset < FADE_SAMPLES; index++) {
    samples[index]! *= fadeGain(index + offset);
  }
}

function fadeOut(samples: Float32Array): void {
  for (let index = Math.max(0, samples.length - FADE_SAMPLES); index < samples.length; index++) {
    samples[index]! *= fadeGain(samples.length - 1 - index);
  }
}

/** `distance`: samples between this one and the cut. */
function fadeGain(distance: number): number {
  return 0.5 - 0.5 * Math.cos(Math.PI * Math.min(1, (distance + 0.5) / FADE_SAMPLES));
}
