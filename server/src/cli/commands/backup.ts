import { resolve } from 'node:path';
import { BackupError, backUp, restore } from '../../compose/backups.ts';
import { formatBytes } from '../../inference/models/store/progress-display.ts';
import { type CommandContext, parse, requireOne, UsageError } from '../command.ts';
import { explain } from '../expected-errors.ts';
import { isDatabaseMissing, MissingDatabaseError } from '../local-database.ts';
import { toJson } from '../table.ts';

const BACKUP_HELP = `Usage: mynah backup FILE [--replace] [--json]

Writes the database, the files of the data folder and those of the bucket (MYNAH_FILES_URL) into one tar file with a
manifest, which only you can read. The server may run. The file holds secrets: hashes of all API keys, the first API key,
and recordings of voices. Settings and models are not part of it. With PostgreSQL, pg_dump has to be installed.

  --replace   Replace FILE if it exists.
`;

const RESTORE_HELP = `Usage: mynah restore FILE [--data FOLDER] [--replace] [--json]

Verifies a backup completely, then restores it into the data folder, and into the database of MYNAH_DATABASE_URL and the
bucket of MYNAH_FILES_URL if they are set. Stop the server first.

  --data FOLDER   Restore into this folder instead of that of MYNAH_DATA.
  --replace       Move the present content of the folder into a subfolder; replace the tables of a PostgreSQL database and
                  the files of the same name in the bucket.
`;

type Command = (args: string[], context: CommandContext) => Promise<number>;

/** Runs `mynah backup …` and returns the exit status. */
export const runBackupCommand: Command = (args, context) =>
  runWithHelp(args, context, BACKUP_HELP, async () => {
    const { config, stdout, stderr } = context;
    const { values, positionals } = parse(args, { replace: { type: 'boolean' }, json: { type: 'boolean' } });
    const path = requireOne(positionals, 'the name of a file');
    if (isDatabaseMissing(config)) {
      throw new MissingDatabaseError(
        `There is no database in ${config.dataFolder}. Name the data folder of the server with MYNAH_DATA.`,
      );
    }
    stderr.write(`Data folder: ${config.dataFolder}\n`);
    const manifest = await backUp(config, path, { mayReplace: values.replace === true });
    const { files, database, secrets } = manifest;
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const schema = database.migrations.at(-1);
    if (values.json)
      stdout.write(toJson({ path: resolve(path), files: files.length, bytes, schema, secrets }));
    else {
      stdout.write(`${path}: ${files.length} files, ${formatBytes(bytes)}, schema ${schema}.\n`);
      stderr.write('It holds secrets: store it encrypted, and let nobody else read it.\n');
    }
  });

/** Runs `mynah restore …` and returns the exit status. */
export const runRestoreCommand: Command = (args, context) =>
  runWithHelp(args, context, RESTORE_HELP, async () => {
    const { values, positionals } = parse(args, {
      data: { type: 'string' },
      replace: { type: 'boolean' },
      json: { type: 'boolean' },
    });
    const path = requireOne(positionals, 'the name of a file');
    const dataFolder = values.data === undefined ? context.config.dataFolder : resolve(values.data);
    const config = { ...context.config, dataFolder };
    const { manifest, replacedFolder } = await restore(config, path, { mayReplace: values.replace === true });
    const { files, database, createdAt, version } = manifest;
    if (values.json) {
      context.stdout.write(toJson({ dataFolder, files: files.length, createdAt, version, replacedFolder }));
    } else {
      const schema = database.migrations.at(-1);
      context.stdout.write(
        `Restored ${files.length} files of ${createdAt} into ${dataFolder} (version ${version}, schema ${schema}).\n`,
      );
      if (replacedFolder !== undefined) {
        context.stdout.write(`The earlier content is in ${replacedFolder}.\n`);
      }
    }
  });

async function runWithHelp(
  args: readonly string[],
  { stdout, stderr }: CommandContext,
  help: string,
  run: () => Promise<void>,
): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    stdout.write(help);
    return 0;
  }
  try {
    await run();
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      stderr.write(`${error.message}\n\n${help}`);
      return 2;
    }
    const code = error instanceof BackupError ? ` (${error.code})` : '';
    stderr.write(`${explain(error)}${code}\n`);
    return 1;
  }
}
