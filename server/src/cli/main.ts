#!/usr/bin/env node
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ConfigError, type Environment, loadConfig } from '../config/config.ts';
import { VERSION } from '../config/package-info.ts';
import type { ClientContext } from './client-command.ts';
import { runCompletionCommand } from './commands/completion.ts';

const HELP = `Usage: mynah <command>

Servers:
  serve [option…]          Start the server.
  worker [option…]         Run a worker of a cluster.
  wyoming [option…]        Serve the Wyoming protocol for Home Assistant.
  mcp [option…]            Serve tools over the Model Context Protocol.

Speech and recordings:
  say [TEXT] [-o FILE]     Synthesize speech, with or without a server.
  read BOOK -o FILE        Turn a book into an audiobook.
  dub CAPTIONS -o FILE     Speak captions at their times.
  convert FILE -o FILE     Speak a recording with another voice.
  transcribe FILE…         Transcribe recordings, with or without a server.
  voices [<command>]       List, create and delete voices.
  watermark detect FILE…   Detect the watermark of this server in recordings.

Accounts:
  keys <command>           Create, list, rotate and revoke API keys.
  accounts <command>       Create, list, change and delete accounts.
  topup ACCOUNT USD        Add credit to an account.
  usage [option…]          Print usage.
  ledger <command>         Verify the ledger and print statements.
  audit [option…]          Print the audit log.

Installation:
  doctor                   Check the requirements of the server.
  models <command>         Fetch, list, verify and remove models.
  backup FILE              Write database and files into one file, while the server runs.
  restore FILE             Restore a backup.
  completion SHELL         Print a completion script for bash, zsh or fish.

  --help, --version

Run mynah <command> --help for the options of a command; mynah serve --help lists all settings. Settings come from the
environment and the config file, as for the server.
`;

// Loaded on demand, so that the help is printed without delay.
const OPERATOR_COMMANDS = {
  keys: async () => (await import('./commands/keys.ts')).runKeysCommand,
  accounts: async () => (await import('./commands/accounts.ts')).runAccountsCommand,
  topup: async () => (await import('./commands/accounts.ts')).runTopUpCommand,
  usage: async () => (await import('./commands/usage.ts')).runUsageCommand,
  ledger: async () => (await import('./commands/ledger.ts')).runLedgerCommand,
  audit: async () => (await import('./commands/audit.ts')).runAuditCommand,
  watermark: async () => (await import('./commands/watermark.ts')).runWatermarkCommand,
};

/** Standard input and output of a command. */
type StandardStreams = Pick<ClientContext, 'stdin' | 'stdout' | 'stderr'>;

/** Runs a command and returns the exit status: 0 success, 1 failure, 2 wrong usage. `serve` returns once the server is ready. */
export async function runCommandLine(
  argv: readonly string[],
  env: Environment,
  io: StandardStreams = process,
): Promise<number> {
  const [command, ...args] = argv;
  try {
    switch (command) {
      case 'serve': {
        const { main } = await import('../main.ts');
        await main(args, env, 'mynah serve');
        return 0;
      }
      case 'worker':
        return await (await import('./commands/worker.ts')).runWorkerCommand(args, env, outputOf(io));
      case 'say':
        return await runClient(args, env, io, (await import('./commands/say.ts')).runSayCommand);
      case 'read':
        return await runClient(args, env, io, (await import('./commands/read.ts')).runReadCommand);
      case 'dub':
        return await runClient(args, env, io, (await import('./commands/dub.ts')).runDubCommand);
      case 'convert':
        return await runClient(args, env, io, (await import('./commands/convert.ts')).runConvertCommand);
      case 'transcribe':
        return await runClient(
          args,
          env,
          io,
          (await import('./commands/transcribe.ts')).runTranscribeCommand,
        );
      case 'doctor':
        return await runDoctor(args, env, io);
      case 'backup':
      case 'restore': {
        const { runBackupCommand, runRestoreCommand } = await import('./commands/backup.ts');
        const run = command === 'backup' ? runBackupCommand : runRestoreCommand;
        return await run(args, { config: loadConfig(env).config, env, ...outputOf(io) });
      }
      case 'completion':
        return runCompletionCommand(args, io);
      case 'models':
        return await runModels(args, env, io);
      case 'keys':
      case 'accounts':
      case 'topup':
      case 'usage':
      case 'ledger':
      case 'audit':
      case 'watermark': {
        const run = await OPERATOR_COMMANDS[command]();
        return await run(args, { config: loadConfig(env).config, env, ...outputOf(io) });
      }
      case 'voices':
        return await runClient(args, env, io, (await import('./commands/voices.ts')).runVoicesCommand);
      case 'wyoming':
        return await runClient(args, env, io, (await import('./commands/wyoming.ts')).runWyomingCommand);
      case 'mcp':
        return await runClient(args, env, io, (await import('./commands/mcp.ts')).runMcpCommand);
      case '--version':
        io.stdout.write(`${VERSION}\n`);
        return 0;
      case '--help':
      case '-h':
      case 'help':
        io.stdout.write(HELP);
        return 0;
      default:
        io.stderr.write(command === undefined ? HELP : `There is no command “${command}”.\n\n${HELP}`);
        return 2;
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    io.stderr.write(`${error.message}\n`);
    return 1;
  }
}

async function runModels(args: string[], env: Environment, io: StandardStreams): Promise<number> {
  const [{ openModelStore }, { runModelsCommand }] = await Promise.all([
    import('../compose/model-store.ts'),
    import('./commands/models.ts'),
  ]);
  const store = openModelStore(loadConfig(env).config, env);
  return runInterruptible(io, (signal) => runModelsCommand(args, { store, ...outputOf(io), signal }));
}

/** Runs a command that can use a server. */
async function runClient(
  args: string[],
  env: Environment,
  io: StandardStreams,
  command: (args: string[], context: ClientContext) => Promise<number>,
): Promise<number> {
  const { config } = loadConfig(env);
  return runInterruptible(io, (signal) =>
    command(args, { config, env, stdin: io.stdin, ...outputOf(io), signal }),
  );
}

async function runDoctor(args: string[], env: Environment, io: StandardStreams): Promise<number> {
  const [{ openModelStore }, { runDoctorCommand }] = await Promise.all([
    import('../compose/model-store.ts'),
    import('./doctor/doctor.ts'),
  ]);
  const { config } = loadConfig(env);
  return runDoctorCommand(args, { config, env, store: openModelStore(config, env), ...outputOf(io) });
}

function outputOf({ stdout, stderr }: StandardStreams): Pick<StandardStreams, 'stdout' | 'stderr'> {
  return { stdout, stderr };
}

/** Runs a function whose signal is aborted by SIGINT, SIGTERM, and when standard output is closed. */
async function runInterruptible(
  { stdout }: StandardStreams,
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const interrupt = new AbortController();
  const onInterrupt = () => interrupt.abort();
  process.on('SIGINT', onInterrupt).on('SIGTERM', onInterrupt);
  stdout.on('error', onInterrupt);
  try {
    return await work(interrupt.signal);
  } finally {
    process.off('SIGINT', onInterrupt).off('SIGTERM', onInterrupt);
  }
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = await runCommandLine(process.argv.slice(2), process.env);
}
