import type { Config } from '../config/config.ts';
import { VERSION } from '../config/package-info.ts';
import { DispatchClient } from '../infrastructure/messaging/remote/dispatch-client.ts';
import type { Logger } from '../logger.ts';
import { openNats } from './nats.ts';
import { RemoteSpeech } from './remote-speech.ts';

/** The remote workers of a gateway. */
export interface RemoteWorkers {
  readonly speech: RemoteSpeech;
  close(): Promise<void>;
}

/** Connects a gateway to its workers. Undefined for a server that uses its own worker processes. */
export async function openRemoteWorkers(config: Config, logger: Logger): Promise<RemoteWorkers | undefined> {
  if (config.role !== 'gateway') return undefined;
  const bus = await openNats(config, 'mynah gateway');
  const client = new DispatchClient({
    bus,
    version: VERSION,
    onEvent: (event, facts) => logger.info(facts, event),
  });
  return {
    speech: new RemoteSpeech(client, { waitForWorkerMs: config.engineWaitSeconds * 1000 }),
    async close() {
      await client.close();
      await bus.close();
    },
  };
}
