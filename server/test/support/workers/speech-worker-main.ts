import { DispatchServer } from '../../../src/infrastructure/messaging/remote/dispatch-server.ts';
import { speechRunner } from '../../../src/infrastructure/messaging/speech/speech-runner.ts';
import { connectNats } from '../../../src/infrastructure/messaging/transport/nats-bus.ts';
import { SineWorkers } from './sine-workers.ts';

/** A worker process with scripted engines, for tests that kill or stop it. SIGTERM drains it, as it does a real worker. */
const { NATS_URL = '', WORKER_ID = '', WINDOW_MS = '20', WINDOW_SAMPLES, SLOTS = '64' } = process.env;
const { WORKER_VERSION = '1.0.0', PROCESSES = '1', WORK_SECONDS } = process.env;
const DRAIN_MS = 60_000;
const bus = await connectNats({ url: NATS_URL, name: WORKER_ID });
const workers = new SineWorkers({
  windowMs: Number(WINDOW_MS),
  ...(WINDOW_SAMPLES !== undefined && { windowSamples: Number(WINDOW_SAMPLES) }),
  // With a reported cost the worker has the capacity of one process.
  ...(WORK_SECONDS !== undefined && { workSeconds: Number(WORK_SECONDS), isSerial: true }),
});
const presence = () => ({ processes: Number(PROCESSES), engines: ['kokoro-fast'] });
const server = new DispatchServer({
  bus,
  id: WORKER_ID,
  version: WORKER_VERSION,
  onEvent: () => {},
  runners: { speech: speechRunner({ workers, prepare: async () => {}, presence }, { slots: Number(SLOTS) }) },
});
process.once('SIGTERM', async () => {
  await server.drain(DRAIN_MS);
  await server.close();
  await bus.close();
});
