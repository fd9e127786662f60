import { ModelStoreError } from '../../inference/models/files/model-store-error.ts';
import type { ProgressListener } from '../../inference/models/store/model-progress.ts';
import type { ModelStatus, ModelStore } from '../../inference/models/store/model-store.ts';
import {
  createProgressDisplay,
  formatBytes,
  type ProgressOutput,
} from '../../inference/models/store/progress-display.ts';
import { parse, UsageError } from '../command.ts';
import { formatTable, toJson } from '../table.ts';

/** The context of the command. */
export interface ModelsCommandContext {
  readonly store: ModelStore;
  readonly stdout: ProgressOutput;
  readonly stderr: ProgressOutput;
  /** Aborted on Ctrl-C. Partial downloads are resumed by the next call. */
  readonly signal?: AbortSignal;
}

const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;

const HELP = `Usage: mynah models <command>

  list                     List all models with size, licence and state.
  pull [ID…]               Fetch models; without an ID the default models.
  rm ID…                   Delete models and the artefacts derived from them.
  verify [ID…]             Compare the hashes of all files of the installed models.
                           Damaged files are deleted; pull fetches them again.
  import PATH [--id ID]    Install from a folder, a file, a tarball of npm pack, or a Piper
                           voice (NAME.onnx with NAME.onnx.json).

All commands accept --json. An ID is one of list, or piper:<voice name>, such as piper:de_DE-thorsten-medium.

Exit codes: 0 success, 1 failure, 2 wrong usage, 130 interrupted.
`;

type Command = (args: string[], context: ModelsCommandContext) => Promise<number>;

const COMMANDS: Readonly<Record<string, Command>> = {
  list: listModels,
  pull: pullModels,
  rm: removeModels,
  verify: verifyModels,
  import: importModels,
};

/** Runs `mynah models …` and returns the exit code. Results go to stdout; progress and errors to stderr. */
export async function runModelsCommand(args: string[], context: ModelsCommandContext): Promise<number> {
  const [name, ...rest] = args;
  if (args.includes('--help') || args.includes('-h') || name === 'help') {
    context.stdout.write(HELP);
    return EXIT.ok;
  }
  try {
    if (name === undefined) throw new UsageError('A command is missing.');
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (command === undefined) throw new UsageError(`There is no command “${name}”.`);
    return await command(rest, context);
  } catch (error) {
    if (error instanceof UsageError) {
      context.stderr.write(`${error.message}\n\n${HELP}`);
      return EXIT.usage;
    }
    if (error instanceof ModelStoreError) {
      context.stderr.write(`${error.message}\n`);
      return error.code === 'cancelled' ? EXIT.interrupted : EXIT.failed;
    }
    throw error;
  }
}

const JSON_OPTION = { json: { type: 'boolean' } } as const;

async function listModels(args: string[], { store, stdout }: ModelsCommandContext): Promise<number> {
  const { positionals, values } = parse(args, JSON_OPTION);
  if (positionals.length > 0) throw new UsageError('list takes no ids.');
  const statuses = await store.list();
  stdout.write(values.json ? toJson(statuses.map(toBody)) : toTable(statuses));
  return EXIT.ok;
}

function toBody({ model, state, folder, sizeBytes, installedAt }: ModelStatus) {
  return {
    id: model.id,
    title: model.title,
    task: model.task,
    languages: model.languages,
    licence: model.licence,
    default: model.isDefault,
    state,
    size_bytes: sizeBytes ?? null,
    folder,
    installed_at: installedAt ?? null,
  };
}

function toTable(statuses: readonly ModelStatus[]): string {
  return formatTable(
    ['ID', 'STATE', 'SIZE', 'LICENCE', 'TITLE'],
    statuses.map(({ model, state, sizeBytes }) => [
      model.id,
      model.isDefault ? `${state}, default` : state,
      sizeBytes === undefined ? '?' : formatBytes(sizeBytes),
      model.licence,
      model.title,
    ]),
  );
}

async function pullModels(args: string[], context: ModelsCommandContext): Promise<number> {
  const { positionals, values } = parse(args, JSON_OPTION);
  const { store, signal } = context;
  const ids = positionals.length > 0 ? positionals : await defaultIds(store);
  return fetchModels(context, values.json, async function* (onProgress) {
    for (const id of ids) yield { id, folder: (await store.ensure(id, { signal, onProgress })).folder };
  });
}

async function defaultIds(store: ModelStore): Promise<string[]> {
  return (await store.list()).filter(({ model }) => model.isDefault).map(({ model }) => model.id);
}

async function importModels(args: string[], context: ModelsCommandContext): Promise<number> {
  const { positionals, values } = parse(args, { ...JSON_OPTION, id: { type: 'string' } });
  const [path, ...others] = positionals;
  if (path === undefined || others.length > 0) throw new UsageError('import needs one path.');
  const { store, signal } = context;
  return fetchModels(context, values.json, async function* (onProgress) {
    yield* await store.importFrom(path, values.id, { signal, onProgress });
  });
}

/** Prints the folder of each model when it is fetched, or all of them as JSON at the end. */
async function fetchModels(
  { stdout, stderr }: ModelsCommandContext,
  isJson: boolean | undefined,
  work: (onProgress: ProgressListener) => AsyncIterable<{ id: string; folder: string }>,
): Promise<number> {
  const display = createProgressDisplay(stderr);
  const fetched: { id: string; folder: string }[] = [];
  try {
    for await (const { id, folder } of work(display.show)) {
      fetched.push({ id, folder });
      if (!isJson) stdout.write(`${id}  ${folder}\n`);
    }
  } finally {
    display.finish();
  }
  if (isJson) stdout.write(toJson(fetched));
  return EXIT.ok;
}

async function removeModels(args: string[], { store, stdout }: ModelsCommandContext): Promise<number> {
  const { positionals, values } = parse(args, JSON_OPTION);
  if (positionals.length === 0) throw new UsageError('rm needs the id of a model.');
  const results: { id: string; removed: boolean }[] = [];
  for (const id of positionals) results.push({ id, removed: await store.remove(id) });
  const lines = results.map(({ id, removed }) => `${id}  ${removed ? 'removed' : 'was not installed'}\n`);
  stdout.write(values.json ? toJson(results) : lines.join(''));
  return EXIT.ok;
}

async function verifyModels(
  args: string[],
  { store, stdout, stderr }: ModelsCommandContext,
): Promise<number> {
  const { positionals, values } = parse(args, JSON_OPTION);
  const ids = positionals.length > 0 ? positionals : [undefined];
  const results = (await Promise.all(ids.map((id) => store.verify(id)))).flat();
  if (values.json) stdout.write(toJson(results.map(({ id, problems }) => ({ id, problems }))));
  else {
    for (const { id, problems, isIncomplete } of results) {
      const advice = isIncomplete
        ? `run “mynah models pull ${id}” to fetch it again`
        : 'the next use makes it again';
      if (problems.length === 0) stdout.write(`${id}  ok\n`);
      else stderr.write(`${id}  ${problems.join('; ')}; ${advice}.\n`);
    }
  }
  return results.every(({ problems }) => problems.length === 0) ? EXIT.ok : EXIT.failed;
}
