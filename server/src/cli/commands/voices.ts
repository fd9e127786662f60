import { openAsBlob } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Mynah, type NewVoice, type Voice as WireVoice } from 'mynah';
import { toBuiltInModelEntity } from '../../api/schemas/voices/model-entity.ts';
import { findInstalledVoices } from '../../compose/installed-voices.ts';
import { openModelStore } from '../../compose/model-store.ts';
import { ApiError } from '../../errors.ts';
import {
  type ClientContext,
  EXIT_CODES_HELP,
  runClientCommand,
  SERVER_HELP,
  SERVER_OPTIONS,
} from '../client-command.ts';
import { parse, requireOne, UsageError } from '../command.ts';
import { findServer, type ServerOptions } from '../server-address.ts';
import { formatTable, toJson } from '../table.ts';

const HELP = `Usage: mynah voices [<command>] [option…]

  list [--mine] [--language LANGUAGE] [--title TEXT]   List voices (the default). Use a name or an id as reference_id.
  get VOICE                                            Print the properties of a voice.
  create --title TITLE [--text TEXT]… RECORDING…       Clone a voice from recordings and wait until it is trained.
  delete ID                                            Delete a voice of your account.

All commands accept --json. They use the server of --server, else one that runs on this machine. Without a server, only
the built-in and installed voices can be listed.

${SERVER_HELP}

${EXIT_CODES_HELP}
`;

const POLL_MS = 500;

/** A voice with its name; voices of the voice library have none. */
type NamedVoice = WireVoice & { readonly name: string | null };

/** Filter of `voices list`. */
interface VoiceFilter {
  readonly mine?: boolean | undefined;
  readonly language?: string | undefined;
  readonly title?: string | undefined;
}

type VoicesCommand = (args: string[], context: ClientContext) => Promise<void>;

/** Runs `mynah voices …` and returns the exit status. */
export function runVoicesCommand(args: string[], context: ClientContext): Promise<number> {
  return runClientCommand(args, context, { help: HELP, run });
}

async function run(args: string[], context: ClientContext): Promise<number> {
  const [first = 'list', ...rest] = args;
  const isCommand = Object.hasOwn(COMMANDS, first);
  if (!isCommand && !first.startsWith('-')) throw new UsageError(`There is no command “${first}”.`);
  await (isCommand ? COMMANDS[first]!(rest, context) : list(args, context));
  return 0;
}

async function list(args: string[], context: ClientContext): Promise<void> {
  const { values, positionals } = parse(args, {
    mine: { type: 'boolean' },
    language: { type: 'string' },
    title: { type: 'string' },
    ...COMMON_OPTIONS,
  });
  if (positionals.length > 0) throw new UsageError('list takes options only.');
  const client = await openClient(values, context);
  const names = await installedVoices(context);
  const found = client
    ? await fromServer(client, values, names)
    : [...names.values()].filter((voice) => isWanted(voice, values));
  const rows = found.map((voice) => [
    voice.name ?? '-',
    voice.title,
    voice.languages.join(' '),
    voice.state,
    voice.visibility,
    voice._id,
  ]);
  const table = () => formatTable(['NAME', 'TITLE', 'LANGUAGES', 'STATE', 'VISIBILITY', 'ID'], rows);
  context.stdout.write(values.json ? toJson(found) : table());
}

async function get(args: string[], context: ClientContext): Promise<void> {
  const { values, positionals } = parse(args, COMMON_OPTIONS);
  const wanted = requireOne(positionals, 'the name or the id of one voice');
  const names = await installedVoices(context);
  const known = [...names.values()].find(({ _id, name }) => _id === wanted || name === wanted);
  const client = await openClient(values, context);
  const voice = client ? withName(await client.voices.get(known?._id ?? wanted), names) : known;
  if (voice === undefined) throw new ApiError('model_not_found', `This installation has no voice ${wanted}.`);
  context.stdout.write(values.json ? toJson(voice) : toLines(voice));
}

async function create(args: string[], context: ClientContext): Promise<void> {
  const { values, positionals } = parse(args, {
    title: { type: 'string' },
    text: { type: 'string', multiple: true },
    ...COMMON_OPTIONS,
  });
  const { title, text: texts = [], json } = values;
  if (title === undefined || positionals.length === 0)
    throw new UsageError('create needs --title and recordings.');
  if (texts.length > 0 && texts.length !== positionals.length) {
    throw new UsageError('Set --text for every recording or for none.');
  }
  const recordings = await Promise.all(positionals.map((path) => openAsBlob(path)));
  const client = await requireClient(values, context);
  const voice = await cloneVoice(
    client,
    { title, voices: recordings, ...(texts.length > 0 && { texts }) },
    context,
  );
  if (voice.state === 'failed') {
    throw new ApiError(
      'invalid_audio',
      `The voice could not be created from these recordings. For details: mynah voices get ${voice._id}`,
    );
  }
  context.stdout.write(json ? toJson(voice) : `${voice._id}\n`);
}

/** Creates the voice and waits until it is trained or has failed; shows the time on a terminal. */
async function cloneVoice(
  client: Mynah,
  request: NewVoice,
  { signal, stderr }: ClientContext,
): Promise<WireVoice> {
  const showProgress = (text: string) => stderr.isTTY && stderr.write(`\r${text}\u001b[K`);
  const startMs = Date.now();
  try {
    showProgress('Cloning the voice…');
    let voice = await client.voices.create(request, { signal });
    while (voice.state === 'created' || voice.state === 'training') {
      await sleep(POLL_MS, undefined, { signal });
      voice = await client.voices.get(voice._id, { signal });
      showProgress(`Cloning the voice… ${Math.round((Date.now() - startMs) / 1000)} s`);
    }
    return voice;
  } finally {
    showProgress('');
  }
}

async function remove(args: string[], context: ClientContext): Promise<void> {
  const { values, positionals } = parse(args, COMMON_OPTIONS);
  const id = requireOne(positionals, 'the id of one voice');
  await (await requireClient(values, context)).voices.delete(id);
  context.stdout.write(values.json ? toJson({ id, deleted: true }) : `${id}  deleted\n`);
}

const COMMON_OPTIONS = { json: { type: 'boolean' }, ...SERVER_OPTIONS } as const;
const COMMANDS: Readonly<Record<string, VoicesCommand>> = { list, get, create, delete: remove };

async function openClient(options: ServerOptions, context: ClientContext): Promise<Mynah | undefined> {
  const server = await findServer(options, context);
  return server && new Mynah({ ...server });
}

async function requireClient(options: ServerOptions, context: ClientContext): Promise<Mynah> {
  const client = await openClient(options, context);
  if (client !== undefined) return client;
  throw new ApiError(
    'engine_unavailable',
    'No server is running on this machine. Start one with mynah serve, or set --server.',
  );
}

async function fromServer(
  client: Mynah,
  { mine, language, title }: VoiceFilter,
  names: ReadonlyMap<string, NamedVoice>,
): Promise<NamedVoice[]> {
  const query = {
    ...(mine && { self: true }),
    ...(language !== undefined && { language }),
    ...(title !== undefined && { title }),
  };
  const found: NamedVoice[] = [];
  for await (const voice of client.voices.list(query)) found.push(withName(voice, names));
  return found;
}

/** The built-in and installed voices by id. */
async function installedVoices({ config, env }: ClientContext): Promise<ReadonlyMap<string, NamedVoice>> {
  const store = openModelStore(config, env);
  const voices = await findInstalledVoices(config, { store, onProblem: () => {} });
  const listed = voices.filter((voice) => voice.isListed);
  return new Map(
    listed.map((voice) => [
      voice.id,
      { ...toBuiltInModelEntity(voice, { baseUrl: '', taskCount: 0 }), name: voice.name },
    ]),
  );
}

function withName(voice: WireVoice, names: ReadonlyMap<string, NamedVoice>): NamedVoice {
  return { ...voice, name: names.get(voice._id)?.name ?? null };
}

function isWanted(voice: NamedVoice, { mine, language, title = '' }: VoiceFilter): boolean {
  const hasLanguage = language === undefined || voice.languages.includes(language);
  return !mine && hasLanguage && voice.title.toLowerCase().includes(title.toLowerCase());
}

function toLines(voice: NamedVoice): string {
  const facts = {
    Name: voice.name ?? '-',
    Title: voice.title,
    Description: voice.description,
    Languages: voice.languages.join(' '),
    Tags: voice.tags.join(', '),
    State: voice.state,
    Visibility: voice.visibility,
    Id: voice._id,
  };
  return formatTable(['Voice', ''], Object.entries(facts)).replace(/^.*\n/, '');
}
