import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Config, Environment } from '../config/config.ts';
import { VERSION } from '../config/package-info.ts';
import { DispatchServer, type TaskRunners } from '../infrastructure/messaging/remote/dispatch-server.ts';
import { speechRunner } from '../infrastructure/messaging/speech/speech-runner.ts';
import type { Logger } from '../logger.ts';
import { requireNats } from './cluster-settings.ts';
import { LocalSpeech } from './local-speech.ts';
import { openModelStore } from './model-store.ts';
import { openNats } from './nats.ts';

/** A running worker of a cluster. */
export interface ClusterWorker {
  readonly id: string;
  /** Finishes the running tasks for at most `drainSeconds` (default: the setting), then stops. */
  close(drainSeconds?: number): Promise<void>;
}

/**
 * Starts the worker processes of this machine, then serves them to the gateways of the cluster. Uses no database. Throws a
 * `StartupError` when NATS cannot be used.
 */
export async function startWorker(
  config: Config,
  { logger, env }: { readonly logger: Logger; readonly env: Environment },
): Promise<ClusterWorker> {
  requireNats(config);
  const store = openModelStore(config, env);
  const id =
    config.workerId ??
    `${hostname()
      .replaceAll(/[^A-Za-z0-9_-]/g, '-')
      .slice(0, 48)}-${randomBytes(4).toString('hex')}`;
  const bus = await openNats(config, `mynah worker ${id}`);
  const speech = new LocalSpeech(config, { logger, store });
  let processes = 1;
  await speech.start((count) => {
    processes = count;
  });
  const runners: TaskRunners = {
    speech: speechRunner(
      {
        workers: speech.workers,
        prepare: ({ engine, utterance }, signal) => speech.prepareEngine(engine, utterance.language, signal),
        presence: () => ({ processes, engines: [speech.bestKokoro()] }),
      },
      { slots: processes * config.workerSlots },
    ),
  };
  const onEvent = (event: string, facts: Readonly<Record<string, unknown>>) => logger.info(facts, event);
  const server = new DispatchServer({ bus, id, version: VERSION, runners, onEvent });
  return {
    id,
    async close(drainSeconds = config.drainSeconds) {
      await server.drain(drainSeconds * 1000);
      await server.close();
      await bus.close();
      await speech.close();
    },
  };
}
