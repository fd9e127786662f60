import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '../../errors.ts';
import { ffmpegEnvironment } from '../ffmpeg-environment.ts';
import { ByteReader } from './byte-reader.ts';
import type { DecodedAudio, DurationCheck } from './decoded-audio.ts';
import { decodeWav } from './wav-decoder.ts';

/** Permits for FFmpeg processes, shared by all processes of a server. */
export interface FfmpegSlots {
  /** Waits for a slot, and returns the function that gives it back. Rejects with the reason of the signal. */
  acquire(signal?: AbortSignal): Promise<() => void>;
}

export interface FfmpegOptions {
  readonly ffmpegPath: string;
  /** Absent: no limit on the number of processes. */
  readonly slots: FfmpegSlots | undefined;
  /** FFmpeg's name of the container format, and the name for error messages. */
  readonly demuxer: string;
  readonly formatName: string;
  readonly maxSeconds: number;
  readonly checkDuration: DurationCheck;
  readonly signal: AbortSignal | undefined;
}

const STALL_MS = 60_000;
const SPOOL_READ_BYTES = 2 ** 16;

/**
 * Decodes with FFmpeg from a temporary file, because MP4 may have its index at the end. FFmpeg gets the container format
 * and may open only that file. Throws `unsupported_media_type` when FFmpeg is missing.
 */
export async function* decodeWithFfmpeg(
  reader: ByteReader,
  options: FfmpegOptions,
): AsyncGenerator<DecodedAudio> {
  const folder = await mkdtemp(join(tmpdir(), 'mynah-decode-'));
  try {
    const path = join(folder, 'audio');
    await pipeline(Readable.from(remainingBytes(reader)), createWriteStream(path, { mode: 0o600 }));
    const releaseSlot = await options.slots?.acquire(options.signal);
    try {
      yield* runFfmpeg(path, options);
    } finally {
      releaseSlot?.();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function* remainingBytes(reader: ByteReader): AsyncGenerator<Uint8Array> {
  for (let part = await reader.readSome(SPOOL_READ_BYTES); part.length > 0; ) {
    yield part;
    part = await reader.readSome(SPOOL_READ_BYTES);
  }
}

async function* runFfmpeg(path: string, options: FfmpegOptions): AsyncGenerator<DecodedAudio> {
  const { ffmpegPath, signal } = options;
  const child = spawn(ffmpegPath, decodingArguments(path, options), {
    env: ffmpegEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const declared = readDeclaredSeconds(child.stderr);
  const output = new ByteReader(child.stdout, signal);
  // Reading begins at once: Node discards the output of a process that ends before it is read.
  const firstByte = output.peek(1);
  firstByte.catch(() => {}); // Awaited below, unless FFmpeg cannot be started.
  const started = Promise.race([
    once(child, 'spawn'),
    once(child, 'error').then(([error]) => Promise.reject(error)),
  ]);
  const stall = setTimeout(() => child.kill('SIGKILL'), STALL_MS);
  try {
    await started.catch((cause: unknown) => {
      throw new ApiError(
        'unsupported_media_type',
        `${options.formatName} can only be decoded with ffmpeg, which is not installed on this server. Install ffmpeg, or send WAV, MP3, FLAC, Ogg or WebM with Opus.`,
        { cause },
      );
    });
    const seconds = await declared;
    if (seconds !== undefined) options.checkDuration(seconds);
    if ((await firstByte).length === 0) {
      throw new ApiError('invalid_audio', `${options.formatName}: the file is damaged or contains no audio.`);
    }
    for await (const chunk of decodeWav(output)) {
      yield chunk;
      stall.refresh();
    }
  } finally {
    clearTimeout(stall);
    await terminate(child);
  }
}

function decodingArguments(path: string, { demuxer, maxSeconds }: FfmpegOptions): string[] {
  // One second more than allowed, so that a longer file is noticed.
  const limit = Number.isFinite(maxSeconds) ? ['-t', `${maxSeconds + 1}`] : [];
  return [
    ...['-hide_banner', '-nostats', '-nostdin', '-threads', '1'],
    ...['-protocol_whitelist', 'file,pipe', '-f', demuxer, '-i', path],
    ...['-map', '0:a:0', '-vn', ...limit],
    ...['-f', 'wav', '-c:a', 'pcm_s16le', '-bitexact', 'pipe:1'],
  ];
}

/** Kills the process and waits for its exit, so that the number of processes is known. */
async function terminate(child: ChildProcess): Promise<void> {
  const isRunning = child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  child.kill('SIGKILL');
  if (isRunning) await once(child, 'exit');
}

const DURATION = /^ {2}Duration: (?:(\d+):(\d\d):(\d\d(?:\.\d+)?)|N\/A),/;

/**
 * The duration that the container declares; FFmpeg prints it before it decodes. Undefined when the container declares none
 * and FFmpeg estimates it. Later messages are read and discarded, so that FFmpeg never blocks on a full pipe.
 */
function readDeclaredSeconds(messages: Readable): Promise<number | undefined> {
  return new Promise((resolve) => {
    let isEstimate = false;
    createInterface({ input: messages })
      .on('line', (line) => {
        isEstimate ||= line.includes('Estimating duration from bitrate');
        const [, hours, minutes, seconds] = DURATION.exec(line) ?? [];
        if (hours !== undefined && !isEstimate) resolve(3600 * +hours + 60 * +minutes! + +seconds!);
        else if (line.startsWith('  Duration:')) resolve(undefined);
      })
      .on('close', () => resolve(undefined));
  });
}
