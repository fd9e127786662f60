import { ByteSink } from '../bytes.ts';
import { FORMATS } from '../formats.ts';
import type { AudioEncoder } from './audio-encoder.ts';
import { giveBackLame, type Lame, type LameOptions, takeLame } from './lame-pool.ts';
import { Mp3LeadInCutter } from './mp3-encoder-delay.ts';
import { MP3_FRAME_SAMPLES, Mp3FrameSplitter } from './mp3-frame.ts';

/** Constant bitrates the API offers. */
export type Mp3BitrateKbps = 64 | 128 | 192;

/** Rates of MPEG-1 layer III. */
export type Mp3SampleRateHz = LameOptions['sampleRateHz'];

/** Options of an MP3 stream. */
export interface Mp3Options {
  readonly sampleRateHz: Mp3SampleRateHz;
  readonly bitrateKbps: Mp3BitrateKbps;
}

// LAME delays by 576 samples, any decoder by 529 more.
const CODEC_DELAY_SAMPLES = 576 + 529;
const LEAD_IN_SAMPLES = MP3_FRAME_SAMPLES - CODEC_DELAY_SAMPLES;

// FFmpeg, and all that is built on it, recognises MP3 by a frame that another one follows.
const MIN_FRAMES = 2;

// Bounds the memory an instance takes, since WebAssembly memory never shrinks.
const MAX_CALL_SAMPLES = 16 * MP3_FRAME_SAMPLES;

// LAME's second frame depends on what it hears up to here.
const OPENING_SAMPLES = 3 * MP3_FRAME_SAMPLES;

// Low enough that a frame of it always fits into a frame of the stream.
const LEAN_BITRATE_KBPS = { 64: 40, 128: 64, 192: 96 } as const;

/** Opens an MP3 stream: mono, constant bitrate. Takes samples at 44.1, 48 or 32 kHz. */
export async function createMp3Encoder({ sampleRateHz, bitrateKbps }: Mp3Options): Promise<AudioEncoder> {
  const main = await takeLame({ sampleRateHz, bitrateKbps });
  const lean = await takeLame({ sampleRateHz, bitrateKbps: LEAN_BITRATE_KBPS[bitrateKbps] });
  return new Mp3Encoder(new LameFrames(main), new LameFrames(lean));
}

/** LAME as something that takes samples and gives whole frames. */
class LameFrames {
  readonly #splitter = new Mp3FrameSplitter();
  #lame: Lame | undefined;

  constructor(lame: Lame) {
    this.#lame = lame;
  }

  encode(samples: Float32Array): Uint8Array[] {
    const frames: Uint8Array[] = [];
    for (let offset = 0; offset < samples.length; offset += MAX_CALL_SAMPLES) {
      const bytes = this.#live().encode([samples.subarray(offset, offset + MAX_CALL_SAMPLES)]);
      frames.push(...this.#splitter.push(bytes));
    }
    return frames;
  }

  finalize(): Uint8Array[] {
    return this.#splitter.push(this.#live().finalize());
  }

  release(): void {
    if (this.#lame !== undefined) giveBackLame(this.#lame);
    this.#lame = undefined;
  }

  #live(): Lame {
    if (this.#lame === undefined) throw new Error('The MP3 encoder has been released.');
    return this.#lame;
  }
}

/**
 * MP3 whose first decoded sample is the first sample given, in every player. The usual way, an Info
 * frame that tells the encoder's delay, costs a frame of silence in players that ignore it, and wants
 * the total length before the first byte. Instead a little silence makes the delay exactly one frame,
 * and that frame is cut off. The end is cut after the frame that holds the last sample.
 */
class Mp3Encoder implements AudioEncoder {
  readonly contentType = FORMATS.mp3.contentType;
  readonly fileExtension = FORMATS.mp3.fileExtension;
  readonly #cutter = new Mp3LeadInCutter();
  readonly #out = new ByteSink();
  readonly #main: LameFrames;
  readonly #opening: LeanOpening;
  /** Frames that wait for the opening. */
  #waiting: Uint8Array[] = [];
  #samplesTaken = 0;
  #framesTaken = 0;

  constructor(main: LameFrames, lean: LameFrames) {
    this.#main = main;
    this.#opening = new LeanOpening(lean);
    this.#encode(new Float32Array(LEAD_IN_SAMPLES));
  }

  encode(samples: Float32Array): Uint8Array {
    this.#samplesTaken += samples.length;
    this.#encode(samples);
    return this.#out.take();
  }

  finish(): Uint8Array {
    const framesToKeep = Math.max(MIN_FRAMES, Math.ceil(this.#samplesTaken / MP3_FRAME_SAMPLES));
    this.#encode(new Float32Array(framesToKeep * MP3_FRAME_SAMPLES - this.#samplesTaken));
    this.#opening.finish();
    this.#takeFrames(this.#main.finalize(), 1 + framesToKeep);
    for (const frame of this.#cutter.flush()) this.#out.push(frame);
    this.dispose();
    return this.#out.take();
  }

  dispose(): void {
    this.#main.release();
    this.#opening.release();
  }

  #encode(samples: Float32Array): void {
    this.#opening.encode(samples);
    this.#takeFrames(this.#main.encode(samples), Number.POSITIVE_INFINITY);
  }

  #takeFrames(frames: readonly Uint8Array[], frameLimit: number): void {
    this.#waiting.push(...frames);
    const opening = this.#opening.frames;
    if (opening === undefined) return;
    for (const frame of this.#waiting.slice(0, frameLimit - this.#framesTaken)) {
      this.#framesTaken++;
      for (const ready of this.#cutter.push(frame, opening)) this.#out.push(ready);
    }
    this.#waiting = [];
  }
}

/** Encodes the first samples of a stream a second time, at a lower bitrate. */
class LeanOpening {
  readonly #lame: LameFrames;
  readonly #made: Uint8Array[] = [];
  #samplesLeft = OPENING_SAMPLES;
  /** The first two frames, once they are there. */
  frames: readonly [Uint8Array, Uint8Array] | undefined;

  constructor(lame: LameFrames) {
    this.#lame = lame;
  }

  encode(samples: Float32Array): void {
    if (this.frames !== undefined) return;
    const taken = samples.subarray(0, this.#samplesLeft);
    this.#made.push(...this.#lame.encode(taken));
    this.#samplesLeft -= taken.length;
    if (this.#samplesLeft === 0) this.finish();
  }

  finish(): void {
    if (this.frames !== undefined) return;
    this.#made.push(...this.#lame.finalize());
    const [first, second] = this.#made;
    if (first === undefined || second === undefined) throw new Error('LAME gave fewer frames than it took.');
    this.frames = [first, second];
    this.release();
  }

  release(): void {
    this.#lame.release();
  }
}
