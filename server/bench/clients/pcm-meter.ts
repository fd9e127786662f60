const BYTES_PER_SAMPLE = 2;
/** −50 dBFS: below any speech, above the noise of an encoder. */
const AUDIBLE_LEVEL = Math.round(32_768 * 10 ** (-50 / 20));

/** Meters a stream of 16-bit samples in chunks of any size. */
export class PcmMeter {
  #halfSample: Uint8Array = Buffer.alloc(0);
  #samples = 0;
  #isAudible = false;

  /** Number of complete samples so far. */
  get samples(): number {
    return this.#samples;
  }

  /** Whether a sample above −50 dBFS has been received. */
  get isAudible(): boolean {
    return this.#isAudible;
  }

  add(chunk: Uint8Array): void {
    const bytes = Buffer.concat([this.#halfSample, chunk]);
    const count = Math.floor(bytes.length / BYTES_PER_SAMPLE);
    this.#halfSample = bytes.subarray(count * BYTES_PER_SAMPLE);
    this.#samples += count;
    this.#isAudible ||= hasAudibleSample(bytes, count);
  }
}

function hasAudibleSample(bytes: Buffer, count: number): boolean {
  for (let index = 0; index < count; index++) {
    if (Math.abs(bytes.readInt16LE(index * BYTES_PER_SAMPLE)) > AUDIBLE_LEVEL) return true;
  }
  return false;
}
