import { startWorker } from '../../compose/cluster/worker.ts';
import { StartupError } from '../../compose/startup-error.ts';
import { stopOnSignals } from '../../compose/stop-signals.ts';
import { logUnhandledRejections } from '../../compose/unhandled-rejections.ts';
import { type Environment, loadConfig } from '../../config/config.ts';
import { createLogger } from '../../logger.ts';

const HELP = `Usage: mynah worker [--kinds speech,transcription,cloning] [--nats-url URL] [--worker-id NAME] [--config FILE]

Runs worker processes of this machine for the gateways of a cluster, over NATS. Needs
MYNAH_NATS_URL and no database. A signal lets running tasks finish, for at most MYNAH_DRAIN_SECONDS. All settings of
mynah serve are accepted; see docs/guides/scaling.md.
`;

interface Output {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** Runs `mynah worker …`. Returns once the worker serves gateways: 0 success, 1 failure. */
export async function runWorkerCommand(
  args: readonly string[],
  env: Environment,
  output: Output,
): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    output.stdout.write(HELP);
    return 0;
  }
  const { config, warnings } = loadConfig(env, args.map(toSetting));
  const logger = createLogger(config);
  logUnhandledRejections(logger);
  for (const warning of warnings) logger.warn(warning);
  const signals = stopOnSignals();
  try {
    const worker = await startWorker(config, { logger, env });
    signals.onStop(() => {
      logger.info({ drainSeconds: config.drainSeconds }, 'stopping; a second signal stops at once');
      return worker.close();
    });
    output.stdout.write(`The worker ${worker.id} is ready.\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    output.stderr.write(`${error.message}\n`);
    // Worker processes and timers of a partly started worker would keep the process running.
    process.exit(1);
  }
}

/** `--kinds` stands for the option of MYNAH_WORKER_KINDS. */
function toSetting(arg: string): string {
  return arg.replace(/^--kinds(?==|$)/, '--worker-kinds');
}
