import { DispatchServer } from '../../src/infrastructure/messaging/remote/dispatch-server.ts';
import { speechRunner } from '../../src/infrastructure/messaging/speech/speech-runner.ts';
import { connectNats } from '../../src/infrastructure/messaging/transport/nats-bus.ts';
import { SineWorkers } from './sine-workers.ts';

/** A worker process with scripted engines, for tests that kill or stop it. */
const { NATS_URL = '', WORKER_ID = '', WINDOW_MS = '20' } = process.env;
const bus = await connectNats({ url: NATS_URL, name: WORKER_ID });
const workers = new SineWorkers({ windowMs: Number(WINDOW_MS) });
new DispatchServer({
  bus,
  id: WORKER_ID,
  version: '1.0.0',
  onEvent: () => {},
  runners: {
    speech: speechRunner(
      { workers, prepare: async () => {}, presence: () => ({ processes: 1, engines: ['sine'] }) },
      { slots: 64 },
    ),
  },
});
