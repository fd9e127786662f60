import { openAsBlob } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Mynah, type Voice as WireVoice } from 'mynah';
import { toModelEntity } from '../api/schemas/model-entity.ts';
import { findVoices } from '../compose/installed-voices.ts';
import { openModelStore } from '../compose/model-store.ts';
import { ApiError } from '../errors.ts';
import {
  type ClientContext,
  EXIT_CODES_HELP,
  runClientCommand,
  SERVER_HELP,
  SERVER_OPTIONS,
} from './client-command.ts';
import { only, parse, UsageError } from './command.ts';
import { findServer, type ServerWish } from './server-address.ts';
import { formatTable, toJson } from './table.ts';

const HELP = `Usage: mynah voices [<command>] [option…]

  list [--mine] [--language LANGUAGE] [--title TEXT]   List voices (the default). Use a name or an id as reference_id.
  get VOICE                                            Tell about one.
  create --title TITLE [--text TEXT]… RECORDING…       Make a voice from recordings, and wait until it can speak.
  delete ID                                            Delete a voice of yours.

All take --json. They work through the server that is named, else through the one that runs on this machine; without
one, the voices of this installation can be listed, and no others.

${SERVER_HELP}

${EXIT_CODES_HELP}
`;

const LOOK_EVERY_MS = 500;

/** A voice with its name, where it has one. */
type NamedVoice = WireVoice & { readonly name: string | null };

/** Which voices to list. */
interface VoiceWish {
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
  const wanted = only(positionals, 'the name or the id of one voice');
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
    throw new UsageError('Give a --text for every recording, or for none.');
  }
  const recordings = await Promise.all(positionals.map((path) => openAsBlob(path)));
  const client = await requireClient(values, context);
  const { signal } = context;
  let voice = await client.voices.create(
    { title, voices: recordings, ...(texts.length > 0 && { texts }) },
    { signal },
  );
  while (voice.state === 'created' || voice.state === 'training') {
    await sleep(LOOK_EVERY_MS, undefined, { signal });
    voice = await client.voices.get(voice._id, { signal });
  }
  if (voice.state === 'failed') {
    throw new ApiError(
      'invalid_audio',
      `No voice could be made of these recordings; ${voice._id} tells why.`,
    );
  }
  context.stdout.write(json ? toJson(voice) : `${voice._id}\n`);
}

async function remove(args: string[], context: ClientContext): Promise<void> {
  const { values, positionals } = parse(args, COMMON_OPTIONS);
  const id = only(positionals, 'the id of one voice');
  await (await requireClient(values, context)).voices.delete(id);
  context.stdout.write(values.json ? toJson({ id, deleted: true }) : `${id}  deleted\n`);
}

const COMMON_OPTIONS = { json: { type: 'boolean' }, ...SERVER_OPTIONS } as const;
const COMMANDS: Readonly<Record<string, VoicesCommand>> = { list, get, create, delete: remove };

async function openClient(wish: ServerWish, context: ClientContext): Promise<Mynah | undefined> {
  const server = await findServer(wish, context);
  return server && new Mynah({ ...server });
}

async function requireClient(wish: ServerWish, context: ClientContext): Promise<Mynah> {
  const client = await openClient(wish, context);
  if (client !== undefined) return client;
  throw new ApiError(
    'engine_unavailable',
    'No server runs here: start one with mynah serve, or name one with --server.',
  );
}

async function fromServer(
  client: Mynah,
  { mine, language, title }: VoiceWish,
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

/** The voices that need nobody to make them, by id. */
async function installedVoices({ config, env }: ClientContext): Promise<ReadonlyMap<string, NamedVoice>> {
  const store = openModelStore(config, env);
  const voices = await findVoices(config, { store, onProblem: () => {} });
  const listed = voices.filter((voice) => voice.isListed);
  return new Map(
    listed.map((voice) => [
      voice.id,
      { ...toModelEntity(voice, { baseUrl: '', taskCount: 0 }), name: voice.name },
    ]),
  );
}

function withName(voice: WireVoice, names: ReadonlyMap<string, NamedVoice>): NamedVoice {
  return { ...voice, name: names.get(voice._id)?.name ?? null };
}

function isWanted(voice: NamedVoice, { mine, language, title = '' }: VoiceWish): boolean {
  const isSpoken = language === undefined || voice.languages.includes(language);
  return !mine && isSpoken && voice.title.toLowerCase().includes(title.toLowerCase());
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
