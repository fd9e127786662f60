import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../config/config.ts';
import type { MessageBus } from '../../infrastructure/messaging/transport/message-bus.ts';
import { connectNats, NatsUnavailableError } from '../../infrastructure/messaging/transport/nats-bus.ts';
import { StartupError } from '../startup-error.ts';
import { requireNats } from './cluster-settings.ts';

/** Processes of a cluster may start in any order. */
const WAIT_MS = 30_000;
const RETRY_MS = 500;

/** Connects to the NATS servers of the settings. Throws a `StartupError` when none can be used in time. */
export async function openNats(config: Config, name: string, waitMs = WAIT_MS): Promise<MessageBus> {
  const options = {
    url: requireNats(config),
    name,
    credentialsFile: config.natsCredentials,
    caFile: config.natsCa,
    certFile: config.natsCert,
    keyFile: config.natsKey,
  };
  for (const endMs = Date.now() + waitMs; ; await delay(RETRY_MS)) {
    try {
      return await connectNats(options);
    } catch (error) {
      if (!(error instanceof NatsUnavailableError)) throw error;
      if (Date.now() >= endMs) throw new StartupError(error.message, { cause: error });
    }
  }
}
