import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareSpeech } from './compose/speech/prepare-speech.ts';
import { StartupError } from './compose/startup-error.ts';
import { formatStartupMessage } from './compose/startup-message.ts';
import { stopOnSignals } from './compose/stop-signals.ts';
import { logUnhandledRejections } from './compose/unhandled-rejections.ts';
import { type Config, ConfigError, type Environment, loadConfig } from './config/config.ts';
import { VERSION } from './config/package-info.ts';
import { settingsHelp } from './config/settings-reference.ts';
import { isStorageFault, storageFault } from './errors.ts';
import { ModelStoreError } from './inference/models/files/model-store-error.ts';
import { createLogger } from './logger.ts';

/**
 * Starts the server and returns once it is ready. On failure, prints the reason and exits with status 1. `command` is
 * what the user has typed, for the help.
 */
export async function main(
  argv: readonly string[],
  env: Environment,
  command = 'npm start --',
): Promise<void> {
  if (argv.includes('--help') || argv.includes('-h')) return void process.stdout.write(help(command));
  if (argv.includes('--version')) return void process.stdout.write(`${VERSION}\n`);
  const signals = stopOnSignals();
  try {
    await serve(argv, env, signals.onStop);
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    // Workers and timers of a partly started server would keep the process running.
    process.exit(1);
  }
}

async function serve(
  argv: readonly string[],
  env: Environment,
  onStop: (stop: () => Promise<void>) => void,
): Promise<void> {
  const { config, warnings } = loadConfig(env, argv);
  const logger = createLogger(config);
  logUnhandledRejections(logger);
  for (const warning of warnings) logger.warn(warning);
  if (config.openMode) {
    logger.warn(
      'OPEN MODE: every bearer token is accepted as the name of a tenant. Every client that can reach this server can use it.',
    );
  }

  prepareSpeech(config);
  // Most modules of the server are needed from here on; the speech process loads its own meanwhile.
  const { createApp } = await import('./compose/app.ts');
  const app = await createApp(config, { logger, env });
  const { url } = await app.listen();
  let isStopping = false;
  onStop(() => {
    isStopping = true;
    logger.info({ drainSeconds: config.drainSeconds }, 'stopping; a second signal stops at once');
    return app.close();
  });
  await app.ready;
  if (isStopping) return;
  process.stdout.write(
    formatStartupMessage({
      url,
      firstKey: app.firstKey,
      firstKeyFile: findFirstKeyFile(config),
      loginPath: app.loginPath,
    }),
  );
}

function findFirstKeyFile(config: Config): string | undefined {
  const path = join(config.dataFolder, 'first-key');
  return existsSync(path) ? path : undefined;
}

function help(command: string): string {
  return `Usage: ${command} [option…]

Starts the server. Every setting is an option, an environment variable, and a key in a JSON file (--config FILE, or
mynah.config.json in the current folder) with the names of the variables. Options take precedence over variables,
variables over the file.
${settingsHelp()}`;
}

function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof ModelStoreError || error instanceof StartupError)
    return error.message;
  const { code, message, stack } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return `${message}. The port is in use; choose another with PORT=8081 or --port 8081.`;
  if (isStorageFault(error))
    return `Cannot start: ${error.path ?? 'a file'} cannot be used: ${storageFault(error)}.`;
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL') return `Cannot start: ${message}.`;
  return stack ?? String(error);
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await main(process.argv.slice(2), process.env);
}
