/** An affine layer of a Kaldi network. */
export interface AffineLayer {
  readonly rows: number;
  readonly columns: number;
  /** Row by row. */
  readonly weights: Float32Array;
  readonly bias: Float32Array;
}

/** Batch normalisation at inference: `x * scale + offset`. */
export interface NormLayer {
  readonly scale: Float32Array;
  readonly offset: Float32Array;
}

/** The layers of a network in Kaldi's binary format (nnet3), by name. */
export class KaldiNetwork {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    if (!bytes.subarray(0, 9).equals(Buffer.from('\0B<Nnet3>')))
      throw new Error('The file is not a Kaldi nnet3 network.');
    this.#bytes = bytes;
  }

  affine(name: string): AffineLayer {
    const component = this.#component(name);
    const matrix = component.matrix('<LinearParams>');
    return { ...matrix, bias: component.vector('<BiasParams>') };
  }

  norm(name: string): NormLayer {
    const component = this.#component(name);
    const mean = component.vector('<StatsMean>');
    const variance = component.vector('<StatsVar>');
    const epsilon = component.number('<Epsilon>');
    const targetRms = component.number('<TargetRms>');
    const scale = variance.map((value) => targetRms / Math.sqrt(value + epsilon));
    return { scale, offset: mean.map((value, index) => -value * scale[index]!) };
  }

  #component(name: string): KaldiReader {
    const tag = `<ComponentName> ${name} `;
    const start = this.#bytes.indexOf(tag);
    if (start < 0) throw new Error(`The network has no component ${name}.`);
    const end = this.#bytes.indexOf('<ComponentName> ', start + tag.length);
    return new KaldiReader(this.#bytes.subarray(start + tag.length, end < 0 ? undefined : end));
  }
}

/** Reads a file that holds a single matrix. */
export function readKaldiMatrix(bytes: Buffer): { rows: number; columns: number; weights: Float32Array } {
  return new KaldiReader(bytes).matrix('\0B');
}

/** Reads a vector in Kaldi's text format: `[ 1.5 -2 … ]`. */
export function readKaldiTextVector(text: string): Float32Array {
  return Float32Array.from(text.replaceAll(/[[\]]/g, ' ').trim().split(/\s+/), Number);
}

/** Reads tagged values; a number is a length byte followed by its bytes. */
class KaldiReader {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  number(tag: string): number {
    const at = this.#after(tag) + 1;
    return this.#bytes.readFloatLE(at + 1);
  }

  vector(tag: string): Float32Array {
    const at = this.#expect(this.#after(tag), 'FV ');
    return this.#floats(at + 5, this.#bytes.readInt32LE(at + 1));
  }

  matrix(tag: string): { rows: number; columns: number; weights: Float32Array } {
    const at = this.#expect(this.#after(tag), 'FM ');
    const rows = this.#bytes.readInt32LE(at + 1);
    const columns = this.#bytes.readInt32LE(at + 6);
    return { rows, columns, weights: this.#floats(at + 10, rows * columns) };
  }

  #after(tag: string): number {
    const at = this.#bytes.indexOf(tag);
    if (at < 0) throw new Error(`The network has no ${tag}.`);
    return at + tag.length;
  }

  /** Skips the space after a tag and the type marker. */
  #expect(at: number, kind: string): number {
    const start = this.#bytes[at] === 0x20 ? at + 1 : at;
    if (this.#bytes.toString('latin1', start, start + kind.length) !== kind) {
      throw new Error(`The network does not hold the expected type ${kind.trim()}.`);
    }
    return start + kind.length;
  }

  #floats(at: number, count: number): Float32Array {
    // Copied, since the values are not aligned. Both x64 and arm64 are little-endian, as the file is.
    return new Float32Array(Uint8Array.from(this.#bytes.subarray(at, at + 4 * count)).buffer);
  }
}
