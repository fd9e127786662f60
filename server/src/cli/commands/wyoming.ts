import { hostname } from 'node:os';
import { Mynah } from 'mynah';
import { TRANSCRIPTION_LANGUAGES } from '../../domain/transcription/language-hint.ts';
import { baseLanguage } from '../../domain/voices/catalogue/language-tags.ts';
import { createLogger } from '../../logger.ts';
import type { ListedVoice, RequestedVoice, WyomingBackend } from '../../wyoming/backend.ts';
import { startWyomingServer } from '../../wyoming/server.ts';
import { announceWyoming } from '../../wyoming/zeroconf.ts';
import {
  LISTEN_OPTIONS,
  parseListenAddress,
  requireServer,
  serveUntilInterrupted,
} from '../bridge-command.ts';
import {
  type ClientContext,
  EXIT_CODES_HELP,
  runClientCommand,
  SERVER_HELP,
  SERVER_OPTIONS,
} from '../client-command.ts';
import { parse, UsageError } from '../command.ts';
import type { ServerAddress } from '../server-address.ts';

const HELP = `Usage: mynah wyoming [option…]

Serves the Wyoming protocol for Home Assistant: speech with streaming, and transcription. Every request goes to a Mynah
server: that of --server, else one that runs on this machine. The protocol has no authentication: everybody who
can reach the port can use the key.

  --host ADDRESS   Address to listen on. Default: 127.0.0.1; 0.0.0.0 for other machines.
  --port PORT      Default: 10300.
  --model MODEL    Such as s1 (the default) or s2-pro.
  --zeroconf [NAME]  Announce the server in the local network, so that Home Assistant finds it. Default name: Mynah on
                   the name of this machine. Needs --host.
${SERVER_HELP}

${EXIT_CODES_HELP}
`;

const DEFAULT_PORT = 10_300;
const SAMPLE_RATE_HZ = 24_000;
/** A label of DNS has 63 bytes; a number may be added. */
const ZEROCONF_NAME_MAX_BYTES = 58;
/** Maximum number of voices in the list. */
const VOICES_MAX = 1000;
/** The list of voices is requested again after this time. */
const VOICES_EXPIRY_MS = 60_000;

/** Runs `mynah wyoming …` until it is interrupted, and returns the exit status. */
export function runWyomingCommand(args: string[], context: ClientContext): Promise<number> {
  return runClientCommand(args, context, { help: HELP, run });
}

async function run(args: string[], context: ClientContext): Promise<number> {
  const { values } = parse(withOptionalValue(args, '--zeroconf'), {
    ...LISTEN_OPTIONS,
    model: { type: 'string' },
    zeroconf: { type: 'string' },
    ...SERVER_OPTIONS,
  });
  const address = await requireServer(values, context);
  const listen = parseListenAddress(values, DEFAULT_PORT);
  const name = parseZeroconfName(values.zeroconf, listen.host);
  const logger = createLogger(context.config);
  const server = await startWyomingServer(openBackend(address, values.model ?? 's1'), {
    ...listen,
    logger,
  });
  const zeroconf =
    name === undefined ? undefined : await announceWyoming({ ...listen, port: server.port, name, logger });
  const bridge = {
    port: server.port,
    async close() {
      await zeroconf?.close();
      await server.close();
    },
  };
  return serveUntilInterrupted(bridge, (authority) => `Wyoming: tcp://${authority}`, {
    host: listen.host,
    context,
  });
}

/** Adds an empty value to an option that is given without one. */
function withOptionalValue(args: readonly string[], option: string): string[] {
  return args.map((arg, index) => {
    const next = args[index + 1];
    return arg === option && (next === undefined || next.startsWith('-')) ? `${option}=` : arg;
  });
}

/** The name for the announcement; undefined without one. */
function parseZeroconfName(given: string | undefined, host: string): string | undefined {
  if (given === undefined) return undefined;
  if (host === 'localhost' || host === '::1' || host.startsWith('127.')) {
    throw new UsageError(
      '--zeroconf needs an address that other machines can reach, such as --host 0.0.0.0.',
    );
  }
  const name = given.trim() || `Mynah on ${hostname().split('.', 1)}`.slice(0, ZEROCONF_NAME_MAX_BYTES);
  if (Buffer.byteLength(name) <= ZEROCONF_NAME_MAX_BYTES && !/[.\p{Cc}]/u.test(name)) return name;
  throw new UsageError(`--zeroconf takes a name of 1 to ${ZEROCONF_NAME_MAX_BYTES} bytes without dots.`);
}

/** Speech and transcription by a server. */
function openBackend(address: ServerAddress, model: string): WyomingBackend {
  const client = new Mynah({ ...address });
  let known: { readonly voices: Promise<readonly ListedVoice[]>; readonly untilMs: number } | undefined;
  const listVoices = () => {
    if (known === undefined || known.untilMs < Date.now()) {
      known = { voices: fetchVoices(client), untilMs: Date.now() + VOICES_EXPIRY_MS };
      known.voices.catch(() => {
        known = undefined;
      });
    }
    return known.voices;
  };
  return {
    sampleRateHz: SAMPLE_RATE_HZ,
    transcriptionLanguages: TRANSCRIPTION_LANGUAGES,
    listVoices,
    async *speak(text, voice, signal) {
      const reference_id = await chooseVoice(voice, listVoices);
      const request = {
        model,
        format: 'pcm',
        sample_rate: SAMPLE_RATE_HZ,
        ...(reference_id && { reference_id }),
      } as const;
      yield* client.textToSpeech.convertRealtime(request, text, { signal });
    },
    async transcribe(audio, { sampleRateHz, channels, language }, signal) {
      const request = {
        sample_rate: sampleRateHz,
        channels,
        partials: false,
        ...(language && { language: baseLanguage(language) }),
      };
      const texts: string[] = [];
      for await (const event of client.speechToText.live(request, audio, { signal })) {
        if (event.event === 'segment') texts.push(event.text.trim());
      }
      return texts.filter((part) => part !== '').join(' ');
    },
  };
}

async function fetchVoices(client: Mynah): Promise<readonly ListedVoice[]> {
  const voices: ListedVoice[] = [];
  for await (const { _id: id, title, languages } of client.voices.list()) {
    voices.push({ id, title, languages: [...languages] });
    if (voices.length === VOICES_MAX) break;
  }
  return voices;
}

/** The requested voice; without a name, the first voice of the requested language; undefined is the default voice. */
async function chooseVoice(
  { name, language }: RequestedVoice,
  listVoices: () => Promise<readonly ListedVoice[]>,
): Promise<string | undefined> {
  if (name) return name;
  if (!language) return undefined;
  const base = baseLanguage(language);
  const voices = await listVoices();
  return voices.find(({ languages }) => languages.some((each) => baseLanguage(each) === base))?.id;
}
