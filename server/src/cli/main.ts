#!/usr/bin/env node
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ConfigError, type Environment, loadConfig } from '../config/config.ts';
import { VERSION } from '../config/package-info.ts';
import type { ClientContext } from './client-command.ts';
import { runCompletionCommand } from './completion.ts';

const HELP = `Usage: mynah <command>

  serve [option…]          Start the server; mynah serve --help lists all settings.
  say [TEXT] [-o FILE]     Speak, with or without a server; mynah say --help tells more.
  transcribe FILE…         Write down what is said, with or without a server; mynah transcribe --help tells more.
  doctor                   Check everything the server needs, and say what to do.
  models <command>         Fetch, list, check and remove models; mynah models --help tells more.
  keys <command>           Create, list, rotate and revoke API keys; mynah keys --help tells more.
  accounts <command>       Create, list, change and delete accounts; mynah accounts --help tells more.
  topup ACCOUNT USD        Add credit to an account.
  usage [option…]          What was used; mynah usage --help tells more.
  ledger <command>         Prove that the books balance, and print statements; mynah ledger --help tells more.
  audit [option…]          Who did what; mynah audit --help tells more.
  watermark detect FILE…   Whether recordings are speech that this server has marked.
  voices [<command>]       List, make and delete voices; mynah voices --help tells more.
  completion SHELL         Print completions for bash, zsh or fish.
  --help, --version

Settings come from the environment and the config file, as for the server.
`;

// What a command needs is loaded for that command only: the help comes at once.
const BOOKS_COMMANDS = {
  keys: async () => (await import('./keys.ts')).runKeysCommand,
  accounts: async () => (await import('./accounts.ts')).runAccountsCommand,
  topup: async () => (await import('./accounts.ts')).runTopUpCommand,
  usage: async () => (await import('./usage.ts')).runUsageCommand,
  ledger: async () => (await import('./ledger.ts')).runLedgerCommand,
  audit: async () => (await import('./audit.ts')).runAuditCommand,
  watermark: async () => (await import('./watermark.ts')).runWatermarkCommand,
};

/** Runs one command and returns the exit status: 0 done, 1 failed, 2 wrong usage. `serve` returns while it serves. */
export async function runCommandLine(argv: readonly string[], env: Environment): Promise<number> {
  const [command, ...args] = argv;
  try {
    switch (command) {
      case 'serve': {
        const { main } = await import('../main.ts');
        await main(args, env);
        return 0;
      }
      case 'say':
        return await runClient(args, env, (await import('./say.ts')).runSayCommand);
      case 'transcribe':
        return await runClient(args, env, (await import('./transcribe.ts')).runTranscribeCommand);
      case 'doctor':
        return await runDoctor(args, env);
      case 'completion':
        return runCompletionCommand(args, process);
      case 'models':
        return await runModels(args, env);
      case 'keys':
      case 'accounts':
      case 'topup':
      case 'usage':
      case 'ledger':
      case 'audit':
      case 'watermark': {
        const run = await BOOKS_COMMANDS[command]();
        return await run(args, { config: loadConfig(env).config, env, ...streams() });
      }
      case 'voices':
        return await runClient(args, env, (await import('./voices.ts')).runVoicesCommand);
      case '--version':
        process.stdout.write(`${VERSION}\n`);
        return 0;
      case '--help':
      case '-h':
      case 'help':
        process.stdout.write(HELP);
        return 0;
      default:
        process.stderr.write(command === undefined ? HELP : `There is no command “${command}”.\n\n${HELP}`);
        return 2;
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

async function runModels(args: string[], env: Environment): Promise<number> {
  const [{ openModelStore }, { runModelsCommand }] = await Promise.all([
    import('../compose/model-store.ts'),
    import('./models.ts'),
  ]);
  const store = openModelStore(loadConfig(env).config, env);
  return interruptible((signal) => runModelsCommand(args, { store, ...streams(), signal }));
}

/** Runs a command that works through a server or by itself. */
async function runClient(
  args: string[],
  env: Environment,
  command: (args: string[], context: ClientContext) => Promise<number>,
): Promise<number> {
  const { config } = loadConfig(env);
  return interruptible((signal) =>
    command(args, { config, env, stdin: process.stdin, ...streams(), signal }),
  );
}

async function runDoctor(args: string[], env: Environment): Promise<number> {
  const [{ openModelStore }, { runDoctorCommand }] = await Promise.all([
    import('../compose/model-store.ts'),
    import('./doctor.ts'),
  ]);
  const { config } = loadConfig(env);
  return runDoctorCommand(args, { config, env, store: openModelStore(config, env), ...streams() });
}

function streams(): Pick<typeof process, 'stdout' | 'stderr'> {
  return { stdout: process.stdout, stderr: process.stderr };
}

/** Runs work whose signal is aborted by Ctrl-C, and when nobody reads its output any more. */
async function interruptible(work: (signal: AbortSignal) => Promise<number>): Promise<number> {
  const interrupt = new AbortController();
  const onInterrupt = () => interrupt.abort();
  process.on('SIGINT', onInterrupt).on('SIGTERM', onInterrupt);
  process.stdout.on('error', onInterrupt);
  try {
    return await work(interrupt.signal);
  } finally {
    process.off('SIGINT', onInterrupt).off('SIGTERM', onInterrupt);
  }
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = await runCommandLine(process.argv.slice(2), process.env);
}
