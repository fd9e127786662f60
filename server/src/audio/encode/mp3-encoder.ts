import { ByteSink } from '../bytes.ts';
import { FORMATS } from '../formats.ts';
import type { AudioEncoder } from './audio-encoder.ts';
import { Lame, type LameOptions } from './lame.ts';
import { Mp3EncoderDelayTrimmer } from './mp3-encoder-delay.ts';
import { MP3_FRAME_SAMPLES, Mp3FrameSplitter } from './mp3-frame.ts';

/** The constant bitrates of the API, and those that clients of other services request at up to 24 kHz. */
export type Mp3BitrateKbps = 32 | 48 | 64 | 128 | 192;

/** Sample rates of layer III in MPEG-1, and up to 24 kHz in MPEG-2. */
export type Mp3SampleRateHz = LameOptions['sampleRateHz'];

export interface Mp3Options {
  readonly sampleRateHz: Mp3SampleRateHz;
  readonly bitrateKbps: Mp3BitrateKbps;
}

// The encoder delay of LAME is 576 samples; every decoder adds 529.
const CODEC_DELAY_SAMPLES = 576 + 529;
const PRIMING_SAMPLES = MP3_FRAME_SAMPLES - CODEC_DELAY_SAMPLES;

// FFmpeg detects MP3 by two consecutive frames.
const MIN_FRAMES = 2;

// The second frame of LAME depends on this many samples.
const START_SAMPLES = 3 * MP3_FRAME_SAMPLES;

// Low enough that a frame always fits into a frame of the stream without the bit reservoir.
const START_BITRATE_KBPS = { 32: 32, 48: 40, 64: 40, 128: 64, 192: 96 } as const;

const MPEG2_RATE_MAX_HZ = 24_000;
/** The maximum that a mono frame of MPEG-2 is encoded with here; LAME accepts up to 160. */
const MPEG2_BITRATE_MAX_KBPS = 64;

/** Creates an MP3 encoder: mono, constant bitrate. */
export function createMp3Encoder({ sampleRateHz, bitrateKbps }: Mp3Options): AudioEncoder {
  if (sampleRateHz <= MPEG2_RATE_MAX_HZ) {
    const limited = bitrateKbps > MPEG2_BITRATE_MAX_KBPS ? MPEG2_BITRATE_MAX_KBPS : bitrateKbps;
    return new Mpeg2Encoder(new Lame({ sampleRateHz, bitrateKbps: limited }));
  }
  const lowBitrateKbps = START_BITRATE_KBPS[bitrateKbps];
  return new Mp3Encoder(
    new LameFrames({ sampleRateHz, bitrateKbps }),
    new LameFrames({ sampleRateHz, bitrateKbps: lowBitrateKbps }),
  );
}

/** Encodes MP3 at up to 24 kHz. Its audio begins with the delay of the codec, 50 ms at 22.05 kHz. */
class Mpeg2Encoder implements AudioEncoder {
  readonly contentType = FORMATS.mp3.contentType;
  readonly fileExtension = FORMATS.mp3.fileExtension;
  readonly #lame: Lame;

  constructor(lame: Lame) {
    this.#lame = lame;
  }

  encode(samples: Float32Array): Uint8Array {
    return this.#lame.encode(samples);
  }

  finish(): Uint8Array {
    const bytes = this.#lame.finish();
    this.dispose();
    return bytes;
  }

  dispose(): void {
    this.#lame.close();
  }
}

/** Encodes samples to whole frames with LAME. */
class LameFrames {
  readonly #splitter = new Mp3FrameSplitter();
  readonly #lame: Lame;

  constructor(options: LameOptions) {
    this.#lame = new Lame(options);
  }

  encode(samples: Float32Array): Uint8Array[] {
    return this.#splitter.push(this.#lame.encode(samples));
  }

  finish(): Uint8Array[] {
    return this.#splitter.push(this.#lame.finish());
  }

  close(): void {
    this.#lame.close();
  }
}

/**
 * Encodes MP3 whose first decoded sample is the first input sample, in every player. The usual Info frame, which declares
 * the encoder delay, costs a frame of silence in players that ignore it and needs the total length before the first byte.
 * Instead, silence before the input extends the delay to exactly one frame, and that frame is removed. The stream ends
 * with the frame of the last sample.
 */
class Mp3Encoder implements AudioEncoder {
  readonly contentType = FORMATS.mp3.contentType;
  readonly fileExtension = FORMATS.mp3.fileExtension;
  readonly #trimmer = new Mp3EncoderDelayTrimmer();
  readonly #out = new ByteSink();
  readonly #main: LameFrames;
  readonly #start: LowBitrateStart;
  /** Frames that wait for the first two frames at the lower bitrate. */
  #pending: Uint8Array[] = [];
  #samplesTaken = 0;
  #framesTaken = 0;

  constructor(main: LameFrames, lowBitrate: LameFrames) {
    this.#main = main;
    this.#start = new LowBitrateStart(lowBitrate);
    this.#encode(new Float32Array(PRIMING_SAMPLES));
  }

  encode(samples: Float32Array): Uint8Array {
    this.#samplesTaken += samples.length;
    this.#encode(samples);
    return this.#out.take();
  }

  finish(): Uint8Array {
    const framesToKeep = Math.max(MIN_FRAMES, Math.ceil(this.#samplesTaken / MP3_FRAME_SAMPLES));
    this.#encode(new Float32Array(framesToKeep * MP3_FRAME_SAMPLES - this.#samplesTaken));
    this.#start.finish();
    this.#takeFrames(this.#main.finish(), 1 + framesToKeep);
    for (const frame of this.#trimmer.flush()) this.#out.push(frame);
    this.dispose();
    return this.#out.take();
  }

  dispose(): void {
    this.#main.close();
    this.#start.close();
  }

  #encode(samples: Float32Array): void {
    this.#start.encode(samples);
    this.#takeFrames(this.#main.encode(samples), Number.POSITIVE_INFINITY);
  }

  #takeFrames(frames: readonly Uint8Array[], frameLimit: number): void {
    this.#pending.push(...frames);
    const start = this.#start.frames;
    if (start === undefined) return;
    for (const frame of this.#pending.slice(0, frameLimit - this.#framesTaken)) {
      this.#framesTaken++;
      for (const ready of this.#trimmer.push(frame, start)) this.#out.push(ready);
    }
    this.#pending = [];
  }
}

/** Encodes the first samples of a stream again, at a lower bitrate. */
class LowBitrateStart {
  readonly #lame: LameFrames;
  readonly #encoded: Uint8Array[] = [];
  #samplesLeft = START_SAMPLES;
  /** The first two frames, once they are complete. */
  frames: readonly [Uint8Array, Uint8Array] | undefined;

  constructor(lame: LameFrames) {
    this.#lame = lame;
  }

  encode(samples: Float32Array): void {
    if (this.frames !== undefined) return;
    const taken = samples.subarray(0, this.#samplesLeft);
    this.#encoded.push(...this.#lame.encode(taken));
    this.#samplesLeft -= taken.length;
    if (this.#samplesLeft === 0) this.finish();
  }

  finish(): void {
    if (this.frames !== undefined) return;
    this.#encoded.push(...this.#lame.finish());
    const [first, second] = this.#encoded;
    if (first === undefined || second === undefined)
      throw new Error('LAME returned fewer frames than expected.');
    this.frames = [first, second];
    this.close();
  }

  close(): void {
    this.#lame.close();
  }
}
