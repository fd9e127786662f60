import { joinBytes } from '../bytes.ts';
import { type GrowingWasmInstance, WasmModule } from '../kernels/wasm-module.ts';

/** The configuration of a stream; always mono, constant bitrate. The rates up to 24 kHz are MPEG-2. */
export interface LameOptions {
  readonly sampleRateHz: 44100 | 48000 | 32000 | 24000 | 22050;
  readonly bitrateKbps: 32 | 40 | 48 | 64 | 96 | 128 | 192;
}

// LAME's setting from 0 (slowest) to 9. From 128 kbps a longer search changes nothing that can be heard
// (docs/design/speed.md).
const QUALITY = 5;
const LOW_BITRATE_QUALITY = 3;
const LOW_BITRATE_MAX_KBPS = 96;

// WebAssembly memory never shrinks, so after a peak it is replaced. A stream takes 0.12 MB.
const IDLE_MEMORY_MAX_BYTES = 4 * 2 ** 20;

type LameFunction =
  | '_initialize'
  | 'input'
  | 'inputSamples'
  | 'output'
  | 'open'
  | 'encode'
  | 'flush'
  | 'close';

const lameModule = new WasmModule<LameFunction>('lame.wasm');

/** LAME with the memory of all streams. */
class LameInstance {
  readonly #wasm: GrowingWasmInstance<LameFunction>;
  readonly #inputAt: number;
  readonly #outputAt: number;
  readonly inputSamples: number;
  openStreams = 0;
  #hasTrapped = false;

  constructor() {
    this.#wasm = lameModule.instantiateGrowing();
    const { functions } = this.#wasm;
    functions._initialize();
    this.#inputAt = functions.input();
    this.#outputAt = functions.output();
    this.inputSamples = functions.inputSamples();
  }

  get memoryBytes(): number {
    return this.#wasm.memory.buffer.byteLength;
  }

  open({ sampleRateHz, bitrateKbps }: LameOptions): number {
    const quality = bitrateKbps > LOW_BITRATE_MAX_KBPS ? QUALITY : LOW_BITRATE_QUALITY;
    const stream = this.#call('open', sampleRateHz, bitrateKbps, quality);
    if (stream === 0)
      throw new Error(`LAME cannot open a stream of ${bitrateKbps} kbps at ${sampleRateHz} Hz.`);
    this.openStreams++;
    return stream;
  }

  /** Encodes at most `inputSamples`. */
  encode(stream: number, samples: Float32Array): Uint8Array {
    new Float32Array(this.#wasm.memory.buffer, this.#inputAt, samples.length).set(samples);
    return this.#output(this.#call('encode', stream, samples.length));
  }

  flush(stream: number): Uint8Array {
    return this.#output(this.#call('flush', stream));
  }

  close(stream: number): void {
    this.openStreams--;
    if (!this.#hasTrapped) this.#call('close', stream);
  }

  #output(bytes: number): Uint8Array {
    if (bytes < 0) throw new Error(`LAME failed with code ${bytes}.`);
    return new Uint8Array(this.#wasm.memory.buffer, this.#outputAt, bytes).slice();
  }

  #call(name: LameFunction, ...args: readonly number[]): number {
    try {
      return this.#wasm.functions[name](...args);
    } catch (error) {
      // After a trap, new streams use another instance.
      this.#hasTrapped = true;
      if (current === this) current = undefined;
      throw error;
    }
  }
}

let current: LameInstance | undefined;

/** A stream of LAME, compiled to WebAssembly (server/assets/lame). */
export class Lame {
  readonly #instance: LameInstance;
  #stream: number | undefined;

  constructor(options: LameOptions) {
    current ??= new LameInstance();
    this.#instance = current;
    this.#stream = this.#instance.open(options);
  }

  /** Returns the bytes that are complete, which need not end with a frame. */
  encode(samples: Float32Array): Uint8Array {
    const stream = this.#open();
    const { inputSamples } = this.#instance;
    const parts: Uint8Array[] = [];
    for (let offset = 0; offset < samples.length; offset += inputSamples) {
      parts.push(this.#instance.encode(stream, samples.subarray(offset, offset + inputSamples)));
    }
    return parts.length === 1 ? (parts[0] as Uint8Array) : joinBytes(parts);
  }

  /** Returns the rest of the stream. */
  finish(): Uint8Array {
    return this.#instance.flush(this.#open());
  }

  /** Releases the memory of the stream, in any state. */
  close(): void {
    if (this.#stream === undefined) return;
    const stream = this.#stream;
    this.#stream = undefined;
    this.#instance.close(stream);
    const { openStreams, memoryBytes } = this.#instance;
    const isPastPeak = openStreams === 0 && memoryBytes > IDLE_MEMORY_MAX_BYTES;
    if (isPastPeak && current === this.#instance) current = undefined;
  }

  #open(): number {
    if (this.#stream === undefined) throw new Error('This stream of LAME is closed.');
    return this.#stream;
  }
}

/** The streams that hold memory. */
export function openLameStreams(): { readonly streams: number; readonly memoryBytes: number } {
  return { streams: current?.openStreams ?? 0, memoryBytes: current?.memoryBytes ?? 0 };
}
