import { createRequire } from 'node:module';
import { ByteSink } from '../bytes.ts';
import { FORMATS } from '../formats.ts';
import type { AudioEncoder } from './audio-encoder.ts';
import { toInt16 } from './pcm16.ts';

const COMPRESSION_LEVEL = 5;
const BITS_PER_SAMPLE = 16;

// Bounds the memory that the library allocates per call.
const MAX_CALL_SAMPLES = 16384;

type Libflac = typeof import('libflacjs/dist/libflac.js');

let libflac: Promise<Libflac> | undefined;

/** Loads the library on first use: 1 MB of asm.js that most servers never need. */
function loadLibflac(): Promise<Libflac> {
  libflac ??= new Promise((resolve) => {
    const library: Libflac = createRequire(import.meta.url)('libflacjs/dist/libflac.js');
    if (library.isReady()) resolve(library);
    else library.on('ready', () => resolve(library));
  });
  return libflac;
}

/** Creates a FLAC encoder: 16-bit mono. Total length and checksum are unknown in a stream and left at 0. */
export async function createFlacEncoder(options: { readonly sampleRateHz: number }): Promise<AudioEncoder> {
  return new FlacEncoder(await loadLibflac(), options.sampleRateHz);
}

/** Samples per frame: about 0.1 s, which bounds the latency of the first audio. */
function blockSamples(sampleRateHz: number): number {
  if (sampleRateHz >= 32000) return 4096;
  return sampleRateHz >= 22050 ? 2048 : 1024;
}

class FlacEncoder implements AudioEncoder {
  readonly contentType = FORMATS.flac.contentType;
  readonly fileExtension = FORMATS.flac.fileExtension;
  readonly #library: Libflac;
  readonly #out = new ByteSink();
  #handle: number;

  constructor(library: Libflac, sampleRateHz: number) {
    this.#library = library;
    this.#handle = library.create_libflac_encoder(
      sampleRateHz,
      1,
      BITS_PER_SAMPLE,
      COMPRESSION_LEVEL,
      0,
      false,
      blockSamples(sampleRateHz),
    );
    if (this.#handle === 0) throw new Error(`The FLAC encoder rejected ${sampleRateHz} Hz.`);
    // The library reuses the array after the callback.
    const status = library.init_encoder_stream(this.#handle, (bytes) => this.#out.push(bytes.slice()));
    if (status !== 0) {
      this.dispose();
      throw new Error(`The FLAC encoder did not start (status ${status}).`);
    }
  }

  encode(samples: Float32Array): Uint8Array {
    for (let offset = 0; offset < samples.length; offset += MAX_CALL_SAMPLES) {
      const block = Int32Array.from(toInt16(samples.subarray(offset, offset + MAX_CALL_SAMPLES)));
      if (!this.#library.FLAC__stream_encoder_process_interleaved(this.#handle, block, block.length)) {
        throw new Error(
          `The FLAC encoder failed (state ${this.#library.FLAC__stream_encoder_get_state(this.#handle)}).`,
        );
      }
    }
    return this.#out.take();
  }

  finish(): Uint8Array {
    this.dispose();
    return this.#out.take();
  }

  dispose(): void {
    if (this.#handle === 0) return;
    this.#library.FLAC__stream_encoder_finish(this.#handle);
    this.#library.FLAC__stream_encoder_delete(this.#handle);
    this.#handle = 0;
  }
}
