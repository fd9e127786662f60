import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { ApiError } from '../../errors.ts';
import { ffmpegEnvironment } from '../ffmpeg-environment.ts';
import { AdtsFrameCounter } from './adts-frame-counter.ts';

export interface AacOptions {
  readonly ffmpegPath: string;
  readonly sampleRateHz: number;
}

type FfmpegProcess = ChildProcessByStdio<Writable, Readable, Readable>;

const SAMPLE_BYTES = 2;
const FRAME_SAMPLES = 1024;
/** Silence that the encoder puts before the first sample. */
const DELAY_SAMPLES = 1024;
const BITRATE_MAX_BPS = 128_000;
/** An AAC frame has at most 6144 bits per channel, which is 6 bits per sample. */
const BITS_PER_SAMPLE = 4;
const MESSAGES_MAX_CHARS = 2000;
/** A process that writes nothing for this time, although it has work, is killed. */
const STALL_MS = 60_000;
/**
 * Audio that may be in the process. It limits the memory of a stream, and is far more than FFmpeg needs for its next
 * frame.
 */
const PENDING_MAX_SECONDS = 2;

export const AAC_FFMPEG_MISSING =
  'AAC needs ffmpeg, which is not installed on this server. Install ffmpeg, or request mp3, opus, flac, wav or pcm.';

/** Encodes 16-bit mono PCM as AAC in ADTS frames. Every stream has its own FFmpeg process. */
export class AacEncoder {
  readonly #child: FfmpegProcess;
  readonly #pendingMaxSamples: number;
  readonly #frames = new AdtsFrameCounter();
  readonly #closed: Promise<void>;
  #output: Uint8Array[] = [];
  #writtenSamples = 0;
  #isInputEnded = false;
  #hasExited = false;
  #failure: ApiError | undefined;
  #messages = '';
  #wake = () => {};

  private constructor(child: FfmpegProcess, sampleRateHz: number) {
    this.#child = child;
    this.#pendingMaxSamples = PENDING_MAX_SECONDS * sampleRateHz;
    // The exit code reports a broken pipe.
    child.stdin.on('error', () => {});
    child.stdout.on('data', (bytes: Buffer) => {
      this.#output.push(bytes);
      this.#wake();
    });
    child.stderr.on('data', (text: Buffer) => {
      this.#messages = (this.#messages + text.toString()).slice(-MESSAGES_MAX_CHARS);
    });
    this.#closed = new Promise((resolve) => {
      child.once('close', (code) => {
        this.#hasExited = true;
        if (code !== 0 || !this.#isInputEnded)
          this.#fail(`FFmpeg ended with code ${code}: ${this.#messages}`);
        this.#wake();
        resolve();
      });
    });
  }

  /** Starts FFmpeg. Throws `not_supported` when it is missing. The caller must call `close`. */
  static async start({ ffmpegPath, sampleRateHz }: AacOptions): Promise<AacEncoder> {
    const bitrateBps = Math.min(BITRATE_MAX_BPS, BITS_PER_SAMPLE * sampleRateHz);
    const common = ['-hide_banner', '-nostats', '-nostdin', '-loglevel', 'error', '-threads', '1'];
    // The format of the input is known: without these limits FFmpeg reads ahead to find it.
    const probe = ['-protocol_whitelist', 'pipe', '-probesize', '32', '-analyzeduration', '0'];
    const input = ['-f', 's16le', '-ar', `${sampleRateHz}`, '-ac', '1', '-i', 'pipe:0'];
    const codec = ['-map', '0:a', '-c:a', 'aac', '-b:a', `${bitrateBps}`, '-flags:a', '+bitexact'];
    const output = ['-flush_packets', '1', '-f', 'adts', 'pipe:1'];
    const child = spawn(ffmpegPath, [...common, ...probe, ...input, ...codec, ...output], {
      env: ffmpegEnvironment(),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const encoder = new AacEncoder(child, sampleRateHz);
    try {
      await once(child, 'spawn');
    } catch (cause) {
      throw toStartError(cause);
    }
    // A signal that cannot be sent: the process has ended.
    child.on('error', () => {});
    return encoder;
  }

  /** Number of samples whose audio `take` has returned. */
  get encodedSamples(): number {
    return Math.max(0, FRAME_SAMPLES * this.#frames.count - DELAY_SAMPLES);
  }

  /** Whether no more audio may be written until `take` has returned some. */
  get isFull(): boolean {
    return this.#writtenSamples - FRAME_SAMPLES * this.#frames.count >= this.#pendingMaxSamples;
  }

  /** Whether `take` has returned the whole file. */
  get hasEnded(): boolean {
    return this.#hasExited && this.#failure === undefined && this.#output.length === 0;
  }

  /** Writes samples; FFmpeg reads them in the background. */
  write(pcm: Uint8Array): void {
    this.#writtenSamples += pcm.length / SAMPLE_BYTES;
    // The source may reuse its array.
    this.#child.stdin.write(pcm.slice());
  }

  /** Marks the audio as complete. */
  end(): void {
    this.#isInputEnded = true;
    this.#child.stdin.end();
  }

  /** The bytes that are available; none, while there are none. Throws `engine_failed` when FFmpeg has failed. */
  take(): Uint8Array | undefined {
    if (this.#output.length === 0) {
      if (this.#failure !== undefined) throw this.#failure;
      return undefined;
    }
    const bytes = Buffer.concat(this.#output);
    this.#output = [];
    this.#frames.read(bytes);
    return bytes;
  }

  /** Resolves when there are bytes or the process has ended. */
  available(): Promise<void> {
    if (this.#output.length > 0 || this.#hasExited) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Like `available`, while FFmpeg has work: kills a process that makes no progress. */
  async progress(): Promise<void> {
    const stall = setTimeout(() => this.#child.kill('SIGKILL'), STALL_MS);
    await this.available().finally(() => clearTimeout(stall));
  }

  /** Kills the process and waits for its end. */
  async close(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#closed;
  }

  #fail(reason: string): void {
    this.#failure = new ApiError('engine_failed', 'The AAC encoder failed.', {
      cause: new Error(reason),
      retryAfterSeconds: 1,
    });
  }
}

function toStartError(cause: unknown): ApiError {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'EACCES')
    return new ApiError('not_supported', AAC_FFMPEG_MISSING, { cause });
  return new ApiError('engine_failed', 'The AAC encoder could not be started.', {
    cause,
    retryAfterSeconds: 1,
  });
}
