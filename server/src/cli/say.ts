import { open, rename, rm } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Readable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { MynahError, play } from 'mynah';
import { type AudioFormat, FORMATS } from '../audio/formats.ts';
import type { Config, Environment } from '../config.ts';
import { ApiError } from '../errors.ts';
import { formatBytes } from '../models/progress.ts';
import { parse, UsageError } from './command.ts';
import { findServer } from './server-address.ts';
import { openOwnSpeech, openServerSpeech } from './speech-source.ts';

const HELP = `Usage: mynah say [option…] [TEXT]

Speaks TEXT, or what standard input holds: through the server that is named, else through the one that runs on
this machine, else all by itself.

  -o, --output FILE     Write the audio there; - is standard output. Without it, the audio is played.
  --voice NAME          A voice that mynah voices lists, or its id.
  --model MODEL         Such as s1 (the default) or s2-pro.
  --format FORMAT       ${Object.keys(FORMATS).join(', ')}; without it the ending of FILE decides, else mp3.
  --speed FACTOR        0.5 to 2.
  --play                Play it as well.
  --server URL, --key KEY   The server to speak through, and the key for it.

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
`;

/** Where the command reads and writes. */
export interface SayContext {
  readonly config: Config;
  readonly env: Environment;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly signal: AbortSignal;
}

/** Runs `mynah say …` and returns the exit status. */
export async function runSayCommand(args: string[], context: SayContext): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    context.stdout.write(HELP);
    return 0;
  }
  try {
    await say(args, context);
    return 0;
  } catch (error) {
    if (context.signal.aborted) return 130;
    if (error instanceof UsageError) {
      context.stderr.write(`${error.message}\n\n${HELP}`);
      return 2;
    }
    if (!isExpected(error)) throw error;
    context.stderr.write(`${(error as Error).message}\n`);
    return 1;
  }
}

/** A failure that its message explains: ours, the server's, or the file system's. */
function isExpected(error: unknown): boolean {
  return (
    error instanceof ApiError ||
    error instanceof MynahError ||
    (error as { code?: unknown }).code !== undefined
  );
}

async function say(args: string[], context: SayContext): Promise<void> {
  const { values, positionals } = parse(args, {
    output: { type: 'string', short: 'o' },
    voice: { type: 'string' },
    model: { type: 'string' },
    format: { type: 'string' },
    speed: { type: 'string' },
    play: { type: 'boolean' },
    server: { type: 'string' },
    key: { type: 'string' },
  });
  const wish = {
    format: chooseFormat(values.format, values.output),
    speed: parseSpeed(values.speed),
    voice: values.voice,
    model: values.model ?? 's1',
    text: await readText(positionals, context.stdin),
  };
  const server = await findServer(values, context);
  const source = server ? openServerSpeech(server) : await openOwnSpeech(context.config, context.env);
  try {
    const audio = showProgress(await source.speak(wish, context.signal), context.stderr);
    if (values.output === undefined) await play(audio);
    else if (values.output === '-') await writeAll(context.stdout, audio);
    else await writeFile(values.output, audio, values.play === true);
  } finally {
    await source.close();
  }
}

async function readText(positionals: readonly string[], stdin: SayContext['stdin']): Promise<string> {
  if (positionals.length > 0) return positionals.join(' ');
  if (stdin.isTTY) throw new UsageError('There is nothing to say: give a text, or pipe one in.');
  return (await readAll(stdin)).trim();
}

function chooseFormat(named: string | undefined, output: string | undefined): AudioFormat {
  const format = named ?? (output === undefined ? '' : extname(output).slice(1).toLowerCase());
  if (Object.hasOwn(FORMATS, format)) return format as AudioFormat;
  if (named !== undefined) {
    throw new UsageError(`There is no format “${named}”; there are ${Object.keys(FORMATS).join(', ')}.`);
  }
  return format === 'ogg' ? 'opus' : 'mp3';
}

function parseSpeed(given: string | undefined): number {
  const speed = Number(given ?? 1);
  if (speed >= 0.5 && speed <= 2) return speed;
  throw new UsageError('--speed takes a number from 0.5 to 2.');
}

/** Tells how much has arrived, where somebody watches. */
async function* showProgress(
  audio: AsyncIterable<Uint8Array>,
  stderr: SayContext['stderr'],
): AsyncGenerator<Uint8Array, void> {
  let bytes = 0;
  for await (const chunk of audio) {
    bytes += chunk.length;
    if (stderr.isTTY) stderr.write(`\r${formatBytes(bytes)} of audio\u001b[K`);
    yield chunk;
  }
  if (stderr.isTTY) stderr.write('\r\u001b[K');
}

async function writeAll(output: NodeJS.WritableStream, audio: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of audio) {
    if (!output.write(chunk)) await new Promise((resolve) => output.once('drain', resolve));
  }
}

/** Writes beside the file and renames, so that a file that is there is whole. */
async function writeFile(path: string, audio: AsyncIterable<Uint8Array>, isPlayed: boolean): Promise<void> {
  const part = `${path}.part`;
  const file = await open(part, 'w');
  async function* copied(): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of audio) {
      await file.write(chunk);
      yield chunk;
    }
  }
  try {
    if (isPlayed) await play(copied());
    else for await (const _ of copied());
    await file.close();
    await rename(part, path);
  } catch (error) {
    await file.close().catch(() => {});
    await rm(part, { force: true });
    throw error;
  }
}
