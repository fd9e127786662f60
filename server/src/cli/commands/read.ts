import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Audiobook, type AudiobookRequest, Mynah, MynahError, save } from 'mynah';
import {
  type ClientContext,
  EXIT_CODES_HELP,
  runClientCommand,
  SERVER_HELP,
  SERVER_OPTIONS,
} from '../client-command.ts';
import { parse, requireOne, UsageError } from '../command.ts';
import {
  parseSpeed,
  requireExtension,
  requireOutput,
  requireServer,
  SPEECH_OPTIONS,
  withNamedVoices,
} from '../speech-options.ts';
import { toJson } from '../table.ts';

const HELP = `Usage: mynah read [option…] BOOK -o FILE

Turns a book (EPUB, Markdown or plain text) into an audiobook with chapters, on a server: that of --server, else one that
runs on this machine. FILE ends in .mp3 or .m4b. The same command continues a book after an interruption.

  -o, --output FILE       The audiobook.
  --voice NAME            Name or id of a voice; see mynah voices.
  --chapter N=NAME        The voice of chapter N; may be repeated.
  --model MODEL           Such as s1.
  --title, --author TEXT  Default: those of the book.
  --bitrate KBPS          64 (the default), 128 or 192.
  --speed FACTOR          0.5 to 2.
  --captions FILE         Write captions as well; FILE ends in .srt or .vtt.
  --json                  Print the chapters as JSON.
${SERVER_HELP}

${EXIT_CODES_HELP}
`;

const POLL_EVERY_MS = 1000;
const BITRATES: readonly string[] = ['64', '128', '192'];

/** Runs `mynah read …` and returns the exit status. */
export function runReadCommand(args: string[], context: ClientContext): Promise<number> {
  return runClientCommand(args, context, { help: HELP, run: read });
}

async function read(args: string[], context: ClientContext): Promise<number> {
  const { values, positionals } = parse(args, {
    ...SPEECH_OPTIONS,
    chapter: { type: 'string', multiple: true },
    title: { type: 'string' },
    author: { type: 'string' },
    bitrate: { type: 'string' },
    speed: { type: 'string' },
    captions: { type: 'string' },
    json: { type: 'boolean' },
    ...SERVER_OPTIONS,
  });
  const path = requireOne(positionals, 'the path of a book');
  const { captions } = values;
  const output = requireOutput(values.output);
  const captionFormat = captions === undefined ? undefined : requireExtension(captions, ['srt', 'vtt']);
  const file = await readFile(path);
  const request: AudiobookRequest = {
    file,
    file_name: basename(path),
    model: values.model,
    reference_id: values.voice,
    chapters: values.chapter?.map(parseChapter),
    title: values.title,
    author: values.author,
    format: requireExtension<'mp3' | 'm4b'>(output, ['mp3', 'm4b']),
    bitrate: parseBitrate(values.bitrate),
    speed: parseSpeed(values.speed),
  };
  const server = await requireServer(values, context);
  const { audiobooks } = new Mynah({ ...server });
  const { signal } = context;
  // An equal command has an equal key, and the server returns the job of the first one.
  const headers = { 'idempotency-key': keyOf(request, file) };
  const voices = [values.voice, ...(request.chapters ?? []).map(({ reference_id }) => reference_id)];
  const { id } = await withNamedVoices(voices, audiobooks.create(request, { headers, signal }));
  const book = await waitFor(
    () => audiobooks.get(id, { signal }),
    () => audiobooks.resume(id, { signal }),
    context,
  );
  await save(await audiobooks.audio(id, { signal }), output);
  if (captions !== undefined)
    await writeFile(captions, await audiobooks.captions(id, captionFormat, { signal }));
  if (values.json) context.stdout.write(toJson({ file: output, id, chapters: book.chapters }));
  return 0;
}

/** Waits until the book is finished. A book that is paused or has failed at the start is resumed once. */
async function waitFor(
  get: () => Promise<Audiobook>,
  resume: () => Promise<Audiobook>,
  { stderr, signal }: ClientContext,
): Promise<Audiobook> {
  let book = await get();
  if (book.status === 'paused' || book.status === 'failed') book = await resume();
  try {
    for (; book.status !== 'finished'; book = await get()) {
      if (book.status === 'failed' || book.status === 'paused')
        throw new MynahError(
          book.error?.message ?? 'The book was paused. Run the command again to continue.',
        );
      if (stderr.isTTY) stderr.write(`\r${(100 * book.progress).toFixed(1)} %\u001b[K`);
      await delay(POLL_EVERY_MS, undefined, { signal });
    }
    return book;
  } finally {
    if (stderr.isTTY) stderr.write('\r\u001b[K');
  }
}

function keyOf({ file: _, ...fields }: AudiobookRequest, file: Uint8Array): string {
  return `read-${createHash('sha256').update(JSON.stringify(fields)).update(file).digest('hex')}`;
}

function parseChapter(given: string): { number: number; reference_id: string } {
  const [, number, voice] = /^(\d{1,4})=(.+)$/.exec(given) ?? [];
  if (voice === undefined) throw new UsageError('--chapter takes a number and a voice, such as 2=am_adam.');
  return { number: Number(number), reference_id: voice };
}

function parseBitrate(given = '64'): 64 | 128 | 192 {
  if (!BITRATES.includes(given)) throw new UsageError(`--bitrate takes one of ${BITRATES.join(', ')}.`);
  return Number(given) as 64 | 128 | 192;
}
