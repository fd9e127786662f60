import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../config/config.ts';
import { VERSION } from '../../config/package-info.ts';
import { DispatchClient } from '../../infrastructure/messaging/remote/dispatch-client.ts';
import { openNats } from './nats.ts';

/** A worker that is present. */
export interface PresentWorker {
  readonly id: string;
  readonly version: string;
  readonly isCompatible: boolean;
  readonly kinds: readonly string[];
}

/** More than two heartbeats. */
const LISTEN_MS = 700;

/** The workers that are present on NATS. Throws a `StartupError` when NATS cannot be used. */
export async function findWorkers(config: Config): Promise<readonly PresentWorker[]> {
  const bus = await openNats(config, 'mynah doctor', 0);
  const client = new DispatchClient({ bus, version: VERSION, onEvent: () => {} });
  try {
    await delay(LISTEN_MS);
    return client.workers.map(({ id, isCompatible, heartbeat }) => ({
      id,
      version: heartbeat.version,
      isCompatible,
      kinds: heartbeat.kinds.map(({ kind }) => kind),
    }));
  } finally {
    await client.close();
    await bus.close();
  }
}
