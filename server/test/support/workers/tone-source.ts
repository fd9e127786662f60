/** Samples of a chunk of the tone. */
export const SAMPLES_PER_CHUNK = 2048;
const TONE_HZ = 440;

/** Chunks of a tone: all have `SAMPLES_PER_CHUNK` samples, the last one may have fewer. */
export type ToneSource = (
  tone: { readonly sampleRateHz: number; readonly sampleCount: number },
  signal: AbortSignal,
) => AsyncIterable<Int16Array<ArrayBuffer>>;

/** Computes the tone in this process. */
export async function* localTone(
  ...[{ sampleRateHz, sampleCount }]: Parameters<ToneSource>
): AsyncGenerator<Int16Array<ArrayBuffer>> {
  for (let start = 0; start < sampleCount; start += SAMPLES_PER_CHUNK)
    yield toneOf(sampleRateHz, start, Math.min(SAMPLES_PER_CHUNK, sampleCount - start));
}

const tables = new Map<number, Int16Array>();

/** Samples of the tone. A second holds whole periods, so a table of one second and a chunk holds every chunk. */
export function toneOf(sampleRateHz: number, start: number, length: number): Int16Array<ArrayBuffer> {
  let table = tables.get(sampleRateHz);
  if (table === undefined) {
    table = Int16Array.from({ length: sampleRateHz + SAMPLES_PER_CHUNK }, (_, index) =>
      Math.round(8000 * Math.sin((2 * Math.PI * TONE_HZ * index) / sampleRateHz)),
    );
    tables.set(sampleRateHz, table);
  }
  const offset = start % sampleRateHz;
  return new Int16Array(table.subarray(offset, offset + length));
}
