import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '../../errors.ts';
import type { AudioFileTags } from '../chapter-mark.ts';
import { ffmpegEnvironment } from '../ffmpeg-environment.ts';

export interface M4bOptions {
  readonly ffmpegPath: string;
  readonly sampleRateHz: number;
  readonly bitrateKbps: number;
  readonly signal: AbortSignal;
}

const MESSAGES_MAX_CHARS = 2000;

/** Whether FFmpeg can be started. */
export async function hasFfmpeg(ffmpegPath: string): Promise<boolean> {
  try {
    const child = spawn(ffmpegPath, ['-version'], { env: ffmpegEnvironment(), stdio: 'ignore' });
    const [code] = (await once(child, 'exit')) as [number | null];
    return code === 0;
  } catch {
    return false;
  }
}

/**
 * Encodes 16-bit mono PCM as an MPEG-4 audiobook: AAC with chapters. FFmpeg writes a temporary file, because MP4 has its
 * index at the front. Equal input gives equal bytes. Throws `not_supported` when FFmpeg is missing.
 */
export async function* encodeM4b(
  pcm: AsyncIterable<Uint8Array>,
  tags: AudioFileTags,
  options: M4bOptions,
): AsyncGenerator<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'mynah-m4b-'));
  try {
    await writeFile(join(folder, 'tags'), toFfMetadata(tags), { mode: 0o600 });
    await runFfmpeg(pcm, folder, options);
    yield* createReadStream(join(folder, 'book.m4b')) as AsyncIterable<Uint8Array>;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runFfmpeg(pcm: AsyncIterable<Uint8Array>, folder: string, options: M4bOptions): Promise<void> {
  const { ffmpegPath, sampleRateHz, bitrateKbps, signal } = options;
  const input = ['-f', 's16le', '-ar', `${sampleRateHz}`, '-ac', '1', '-i', 'pipe:0'];
  const tags = ['-f', 'ffmetadata', '-i', join(folder, 'tags')];
  const mapping = ['-map', '0:a', '-map_metadata', '1', '-map_chapters', '1'];
  const codec = ['-c:a', 'aac', '-b:a', `${bitrateKbps}k`, '-ar', '44100', '-flags:a', '+bitexact'];
  const output = ['-fflags', '+bitexact', '-movflags', '+faststart', '-f', 'ipod', join(folder, 'book.m4b')];
  const child = spawn(
    ffmpegPath,
    [
      ...[
        '-hide_banner',
        '-nostats',
        '-loglevel',
        'error',
        '-threads',
        '1',
        '-protocol_whitelist',
        'file,pipe',
      ],
      ...input,
      ...tags,
      ...mapping,
      ...codec,
      ...output,
    ],
    { env: ffmpegEnvironment(), stdio: ['pipe', 'ignore', 'pipe'] },
  );
  const ended = awaitEnd(child);
  // A failure to start is reported by `ended`, a broken pipe by the exit code.
  child.stdin.on('error', () => {});
  let messages = '';
  child.stderr.on('data', (text: Buffer) => {
    messages = (messages + text.toString()).slice(-MESSAGES_MAX_CHARS);
  });
  try {
    const written = pipeline(Readable.from(pcm, { objectMode: true }), child.stdin, { signal });
    const [code] = await Promise.all([
      ended,
      // FFmpeg that exits early closes the pipe; its exit code is the better message.
      written.catch(async (error: unknown) => {
        signal.throwIfAborted();
        if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
      }),
    ]);
    if (code !== 0) throw new Error(`FFmpeg failed: ${messages}`);
  } finally {
    child.kill('SIGKILL');
  }
}

async function awaitEnd(child: ChildProcess): Promise<number | null> {
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return code;
  } catch (cause) {
    throw new ApiError('not_supported', FFMPEG_MISSING, { cause });
  }
}

export const FFMPEG_MISSING =
  'M4B needs ffmpeg, which is not installed on this server. Install ffmpeg, or request mp3.';

/** Title, author and chapters in the format of FFmpeg. */
function toFfMetadata({ title, author, chapters }: AudioFileTags): string {
  const lines = [
    ';FFMETADATA1',
    `title=${escapeValue(title)}`,
    `album=${escapeValue(title)}`,
    'genre=Audiobook',
  ];
  if (author !== undefined) lines.push(`artist=${escapeValue(author)}`);
  for (const chapter of chapters) {
    lines.push('[CHAPTER]', 'TIMEBASE=1/1000');
    lines.push(`START=${Math.round(chapter.startSeconds * 1000)}`);
    lines.push(`END=${Math.round(chapter.endSeconds * 1000)}`);
    lines.push(`title=${escapeValue(chapter.title)}`);
  }
  return `${lines.join('\n')}\n`;
}

function escapeValue(text: string): string {
  return text.replace(/[\r\n\0]+/g, ' ').replace(/[=;#\\]/g, '\\$&');
}
