import type { WordTime } from '../../../domain/engines/tts-engine.ts';

/** Audio inserted into the speech of an utterance. */
export interface Splice {
  /** Position in the speech, in samples. */
  readonly at: number;
  /** Duration in samples. */
  readonly length: number;
  readonly render: () => Float32Array | Promise<Float32Array>;
}

/** Fade of the speech on either side of an insertion. */
const FADE_SAMPLES = 200;

/** Inserts vocal sounds and pauses into speech. Splices are in order; those past the end are appended. */
export async function* spliceInto(
  speech: AsyncIterable<Float32Array>,
  splices: readonly Splice[],
): AsyncGenerator<Float32Array> {
  let position = 0;
  let done = 0;
  for await (const samples of speech) {
    let rest = samples;
    for (; done < splices.length && splices[done]!.at < position + rest.length; done++) {
      const { at, render } = splices[done]!;
      const before = rest.slice(0, at - position);
      if (before.length > 0) yield fadeAtCuts(before, position, splices);
      rest = rest.subarray(before.length);
      position += before.length;
      yield await render();
    }
    if (rest.length > 0) yield splices.length === 0 ? rest : fadeAtCuts(rest.slice(), position, splices);
    position += rest.length;
  }
  for (; done < splices.length; done++) yield await splices[done]!.render();
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

function fadeAtCuts(samples: Float32Array, position: number, splices: readonly Splice[]): Float32Array {
  for (const { at } of splices) {
    const from = Math.max(0, at - FADE_SAMPLES - position);
    const to = Math.min(samples.length, at + FADE_SAMPLES - position);
    for (let index = from; index < to; index++) {
      const distance = Math.abs(position + index + 0.5 - at) / FADE_SAMPLES;
      samples[index]! *= 0.5 - 0.5 * Math.cos(Math.PI * Math.min(1, distance));
    }
  }
  return samples;
}
