import { once } from 'node:events';
import { extname } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { ReadableStream } from 'node:stream/web';
import { play, save } from 'mynah';
import { type AudioFormat, FORMATS } from '../../audio/formats.ts';
import { formatBytes } from '../../inference/models/store/progress-display.ts';
import {
  type ClientContext,
  EXIT_CODES_HELP,
  runClientCommand,
  SERVER_HELP,
  SERVER_OPTIONS,
} from '../client-command.ts';
import { parse, UsageError } from '../command.ts';
import { findServer } from '../server-address.ts';
import { parseSpeed, SPEECH_OPTIONS, warnOfOtherModel, withNamedVoices } from '../speech-options.ts';
import { openServerSpeech, type SpeechSource } from '../speech-source.ts';
import { toJson } from '../table.ts';

const HELP = `Usage: mynah say [option…] [TEXT]

Synthesizes TEXT, or the text from standard input. Uses the server of --server, else one that runs on this machine,
else the engines of this installation.

  -o, --output FILE     Output file; - is standard output. Without it, the audio is played.
  --voice NAME          Name or id of a voice; see mynah voices.
  --model MODEL         Such as s1 (the default) or s2-pro.
  --format FORMAT       ${Object.keys(FORMATS).join(', ')}. Default: the extension of FILE, else mp3.
  --speed FACTOR        0.5 to 2.
  --play                Play the audio in addition to writing it.
  --json                Print a description of the output as JSON.
${SERVER_HELP}

${EXIT_CODES_HELP}
`;

/** Runs `mynah say …` and returns the exit status. */
export function runSayCommand(args: string[], context: ClientContext): Promise<number> {
  return runClientCommand(args, context, { help: HELP, run: say });
}

async function say(args: string[], context: ClientContext): Promise<number> {
  const { values, positionals } = parse(args, {
    ...SPEECH_OPTIONS,
    format: { type: 'string' },
    speed: { type: 'string' },
    play: { type: 'boolean' },
    json: { type: 'boolean' },
    ...SERVER_OPTIONS,
  });
  const request = {
    format: chooseFormat(values.format, values.output),
    speed: parseSpeed(values.speed),
    voice: values.voice,
    model: values.model ?? 's1',
    text: await readText(positionals, context.stdin),
  };
  const server = await findServer(values, context);
  const source = server ? openServerSpeech(server) : await openLocalSpeech(context);
  try {
    const speech = await withNamedVoices([request.voice], source.speak(request, context.signal));
    warnOfOtherModel(values.model, speech.model, context.stderr);
    const audio = new CountedAudio(speech.audio, context.stderr);
    if (values.output === undefined) await play(audio);
    else if (values.output === '-') await writeAll(context, audio);
    else if (values.play) await playAndSave(audio, values.output);
    else await save(audio, values.output);
    if (values.json && values.output !== '-') {
      const { format, model, voice = null } = request;
      context.stdout.write(toJson({ file: values.output ?? null, format, model, voice, bytes: audio.bytes }));
    }
    return 0;
  } finally {
    await source.close();
  }
}

/** The engines of this installation. Loaded on demand: a command through a server needs none of these modules. */
async function openLocalSpeech({ config, env }: ClientContext): Promise<SpeechSource> {
  const local = await import('../local-speech-source.ts');
  return local.openLocalSpeech(config, env);
}

async function readText(positionals: readonly string[], stdin: ClientContext['stdin']): Promise<string> {
  const isGiven = positionals.length > 0;
  if (!isGiven && stdin.isTTY)
    throw new UsageError('A text is required, as an argument or on standard input.');
  const text = isGiven ? positionals.join(' ') : (await readAll(stdin)).trim();
  if (text.trim() === '') throw new UsageError('The text is empty.');
  return text;
}

function chooseFormat(named: string | undefined, output: string | undefined): AudioFormat {
  const format = named ?? (output === undefined ? '' : extname(output).slice(1).toLowerCase());
  if (Object.hasOwn(FORMATS, format)) return format as AudioFormat;
  if (named !== undefined) {
    throw new UsageError(`Unknown format “${named}”. Formats: ${Object.keys(FORMATS).join(', ')}.`);
  }
  return format === 'ogg' ? 'opus' : 'mp3';
}

/** Counts the bytes of an audio stream and shows the number on a terminal. */
class CountedAudio implements AsyncIterable<Uint8Array> {
  bytes = 0;
  readonly #audio: AsyncIterable<Uint8Array>;
  readonly #stderr: ClientContext['stderr'];

  constructor(audio: AsyncIterable<Uint8Array>, stderr: ClientContext['stderr']) {
    this.#audio = audio;
    this.#stderr = stderr;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    const show = (text: string) => this.#stderr.isTTY && this.#stderr.write(`\r${text}\u001b[K`);
    for await (const chunk of this.#audio) {
      this.bytes += chunk.length;
      show(`${formatBytes(this.bytes)} of audio`);
      yield chunk;
    }
    show('');
  }
}

async function writeAll({ stdout, signal }: ClientContext, audio: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of audio) {
    signal.throwIfAborted();
    if (!stdout.write(chunk)) await once(stdout, 'drain', { signal });
  }
}

/** Plays the audio while it is written. The data that the player has not read yet is buffered in memory. */
async function playAndSave(audio: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  const [played, saved] = ReadableStream.from(audio).tee();
  await Promise.all([play(played), save(saved, path)]);
}
