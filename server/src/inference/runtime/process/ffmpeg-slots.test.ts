import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParentFfmpegSlots, ServerFfmpegSlots, WorkerFfmpegSlots } from './ffmpeg-slots.ts';

/** A worker process that is connected to the slots of a server by asynchronous messages. */
function connect(slots: ServerFfmpegSlots, owner = 'worker') {
  const server = new WorkerFfmpegSlots(slots, {
    owner,
    grant: (id) => setImmediate(() => worker.granted(id)),
  });
  const worker = new ParentFfmpegSlots((request) => setImmediate(() => server.receive(request)));
  return { server, worker };
}
const turn = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

test('the slots are shared by all workers', async () => {
  const slots = new ServerFfmpegSlots(2);
  const workers = [connect(slots, 'one').worker, connect(slots, 'two').worker];
  let running = 0;
  let runningMax = 0;
  await Promise.all(
    Array.from({ length: 10 }, async (_, index) => {
      const release = await workers[index % 2]!.acquire();
      runningMax = Math.max(runningMax, ++running);
      await turn();
      running--;
      release();
    }),
  );
  assert.equal(runningMax, 2);
  while (slots.used > 0) await turn();
});

test('a worker that exits gives back its slots', async () => {
  const slots = new ServerFfmpegSlots(1);
  const lost = connect(slots);
  await lost.worker.acquire();
  const waiting = connect(slots).worker.acquire();
  lost.server.close();
  (await waiting)();
  while (slots.used > 0) await turn();
});

test('an aborted wait takes no slot, also when the grant is on its way', async () => {
  const slots = new ServerFfmpegSlots(1);
  const { worker } = connect(slots);
  const release = await worker.acquire();
  const controller = new AbortController();
  const aborted = worker.acquire(controller.signal);
  await turn();
  release();
  controller.abort(new Error('left'));
  await assert.rejects(aborted, { message: 'left' });
  while (slots.used > 0) await turn();
  (await worker.acquire())();
});
