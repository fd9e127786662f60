import { access, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { save } from 'mynah';
import { writeTranscript } from '../../api/responses/transcript-response.ts';
import { SPEAKERS_MAX } from '../../api/schemas/transcription/asr-request.ts';
import { createFolder } from '../../create-folder.ts';
import { parseLanguageHint } from '../../domain/transcription/language-hint.ts';
import {
  TRANSCRIPTION_MODELS,
  type Transcript,
  type TranscriptionModel,
  type TranscriptionOptions,
} from '../../domain/transcription/transcription-service.ts';
import {
  type ClientContext,
  EXIT_CODES_HELP,
  runClientCommand,
  SERVER_HELP,
  SERVER_OPTIONS,
} from '../client-command.ts';
import { parse, UsageError } from '../command.ts';
import { explain } from '../expected-errors.ts';
import { watchRecordings } from '../folder-watch.ts';
import { findServer } from '../server-address.ts';
import {
  openLocalTranscription,
  openServerTranscription,
  type TranscriptSource,
} from '../transcript-source.ts';

const HELP = `Usage: mynah transcribe [option…] FILE…
       mynah transcribe [option…] --watch FOLDER

Transcribes recordings. Uses the server of --server, else one that runs on this machine, else the engines of this
installation. The FILE - is standard input.

  --text                Plain text (the default).
  --srt, --vtt          Captions.
  --json                Words with timestamps, speakers and language.
  -o, --output PATH     Output file or folder instead of standard output; a folder for several recordings.
  --watch FOLDER        Transcribe every present and future recording in FOLDER without a transcript, until
                        interrupted. Transcripts are written to the same folder, or to that of --output.
  --model MODEL         ${TRANSCRIPTION_MODELS.join(' or ')} (with diarization).
  --language LANGUAGE   Such as en. Default: detected.
${SERVER_HELP}

${EXIT_CODES_HELP}
`;

const SUFFIXES = { text: '.txt', srt: '.srt', vtt: '.vtt', json: '.json' } as const;
type Format = keyof typeof SUFFIXES;

/** Source, format and destination of transcripts. */
interface TranscribeOptions {
  readonly format: Format;
  readonly output: string | undefined;
  readonly source: TranscriptSource;
}

/** Runs `mynah transcribe …` and returns the exit status. */
export function runTranscribeCommand(args: string[], context: ClientContext): Promise<number> {
  return runClientCommand(args, context, { help: HELP, run: transcribe });
}

async function transcribe(args: string[], context: ClientContext): Promise<number> {
  const { values, positionals: paths } = parse(args, {
    text: { type: 'boolean' },
    srt: { type: 'boolean' },
    vtt: { type: 'boolean' },
    json: { type: 'boolean' },
    output: { type: 'string', short: 'o' },
    watch: { type: 'string' },
    model: { type: 'string' },
    language: { type: 'string' },
    ...SERVER_OPTIONS,
  });
  const format = chooseFormat(values);
  const { output, watch } = values;
  if ((watch === undefined) === (paths.length === 0))
    throw new UsageError('Either recordings or a folder to watch are required.');
  const transcriptionOptions = toTranscriptionOptions(values);
  const server = await findServer(values, context);
  const source = server
    ? openServerTranscription(server, transcriptionOptions)
    : openLocalTranscription(context.config, context.env, transcriptionOptions);
  const options = { format, output, source };
  try {
    if (watch !== undefined) return await watchFolder(watch, options, context);
    return await (paths.length > 1 || (await isFolder(output))
      ? transcribeAll(paths, options, context)
      : transcribeOne(paths[0]!, options, context));
  } finally {
    await source.close();
  }
}

async function isFolder(path: string | undefined): Promise<boolean> {
  return path !== undefined && ((await stat(path).catch(() => undefined))?.isDirectory() ?? false);
}

function chooseFormat(flags: Readonly<Partial<Record<Format, boolean | undefined>>>): Format {
  const chosen = (Object.keys(SUFFIXES) as Format[]).filter((format) => flags[format]);
  if (chosen.length > 1)
    throw new UsageError(`Choose one of ${chosen.map((name) => `--${name}`).join(' and ')}.`);
  return chosen[0] ?? 'text';
}

function toTranscriptionOptions({
  model = TRANSCRIPTION_MODELS[0],
  language,
}: {
  model?: string | undefined;
  language?: string | undefined;
}): TranscriptionOptions {
  if (!TRANSCRIPTION_MODELS.includes(model as TranscriptionModel)) {
    throw new UsageError(`Unknown model “${model}”. Models: ${TRANSCRIPTION_MODELS.join(', ')}.`);
  }
  return {
    model: model as TranscriptionModel,
    language: parseLanguageHint(language),
    prompt: undefined,
    vocabulary: [],
    speakers: model === 'transcribe-1-pro' ? { min: 1, max: SPEAKERS_MAX } : undefined,
  };
}

async function transcribeOne(
  path: string,
  options: TranscribeOptions,
  context: ClientContext,
): Promise<number> {
  const content = await transcribeFile(path, options, context);
  if (options.output === undefined || options.output === '-') context.stdout.write(content);
  else await write(options.output, content);
  return 0;
}

/** Continues after a recording that fails; the exit status is then 1. */
async function transcribeAll(
  paths: readonly string[],
  options: TranscribeOptions,
  context: ClientContext,
): Promise<number> {
  const { format, output } = options;
  if (output === undefined && (format === 'srt' || format === 'vtt')) {
    throw new UsageError('Captions of several recordings need a folder: set --output.');
  }
  const targets = output === undefined ? [] : paths.map((path) => join(output, targetName(path, format)));
  if (new Set(targets).size < targets.length) throw new UsageError('Two recordings have the same name.');
  let failures = 0;
  for (const [index, path] of paths.entries()) {
    try {
      const content = await transcribeFile(path, options, context);
      const target = targets[index];
      if (target !== undefined) await write(target, content);
      else context.stdout.write(format === 'json' ? content : `${path}:\n${content}\n`);
    } catch (error) {
      context.signal.throwIfAborted();
      context.stderr.write(`${describeFailure(path, error)}\n`);
      failures += 1;
    }
  }
  return failures === 0 ? 0 : 1;
}

async function watchFolder(
  folder: string,
  options: TranscribeOptions,
  context: ClientContext,
): Promise<number> {
  for await (const path of watchRecordings(folder, context.signal)) {
    const target = join(options.output ?? dirname(path), targetName(path, options.format));
    if (await exists(target)) continue;
    try {
      await write(target, await transcribeFile(path, options, context));
      context.stdout.write(`${target}\n`);
    } catch (error) {
      context.signal.throwIfAborted();
      context.stderr.write(`${describeFailure(path, error)}\n`);
    }
  }
  return 130;
}

function targetName(path: string, format: Format): string {
  return basename(path, extname(path)) + SUFFIXES[format];
}

/** Writes standard input to a temporary file, because a recording may be read twice. */
async function withFile<T>(
  path: string,
  stdin: ClientContext['stdin'],
  work: (file: string) => Promise<T>,
): Promise<T> {
  if (path !== '-') return work(path);
  const folder = await mkdtemp(join(tmpdir(), 'mynah-stdin-'));
  try {
    const file = join(folder, 'recording');
    await save(stdin, file);
    return await work(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Transcribes a recording and returns the content of the output file. */
async function transcribeFile(
  path: string,
  { format, source }: TranscribeOptions,
  context: ClientContext,
): Promise<string> {
  const { stdin, stderr, signal } = context;
  const onProgress = (fraction: number) => {
    if (stderr.isTTY) stderr.write(`\r${basename(path)}: ${Math.round(100 * fraction)} %\u001b[K`);
  };
  try {
    return await withFile(path, stdin, async (file) => {
      await access(file);
      return toContent(await source.transcribe({ path: file, onProgress, signal }), format, path);
    });
  } finally {
    if (stderr.isTTY) stderr.write('\r\u001b[K');
  }
}

function toContent(transcript: Transcript, format: Format, path: string): string {
  const { body } = writeTranscript(transcript, { format, ignoreTimestamps: false }, '');
  if (typeof body === 'string') return body.endsWith('\n') ? body : `${body}\n`;
  const { request_id: _, ...content } = body as Record<string, unknown>;
  return `${JSON.stringify({ file: path, ...content })}\n`;
}

async function write(path: string, content: string): Promise<void> {
  await createFolder(dirname(path));
  await save(toStream(content), path);
}

async function* toStream(content: string): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from(content);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** The reason with the path of the recording, which reasons of the file system begin with. */
function describeFailure(path: string, error: unknown): string {
  const reason = explain(error);
  return reason.startsWith(path) ? reason : `${path}: ${reason}`;
}
