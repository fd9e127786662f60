import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { NANO_PER_USD } from '../../../src/domain/accounts/ledger/money.ts';
import { openDatabase } from '../../../src/infrastructure/sql/database.ts';
import { SqlJobStore } from '../../../src/infrastructure/sql/sql-job-store.ts';
import { type PaidServer as PaidAccountServer, withPaidAccount } from '../../support/billing/paid-account.ts';
import {
  LIVE_TRANSCRIPTION_ROUTES,
  messagePack,
  multipart,
  postRecording,
  TRANSCRIPTION_ROUTES,
} from '../../support/calls/transcription-routes.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';

/** Price of one second of audio. */
const SECOND_NANO = 100_000;
/** Three segments of two seconds. */
const RECORDING = 'audio:one two three four\nfive six seven eight\nnine ten eleven twelve';
const never = () => new AbortController().signal;

interface PaidServer extends PaidAccountServer {
  spentSeconds(): Promise<number>;
}

const config = { billing: 'prepaid' } as const;
let shared: TestServer;
before(async () => {
  shared = await startTestServer({ config });
});
after(() => shared.close());

/** Runs a test with a new account of a server, which is the shared one unless the test stops its own. */
async function withPaidServer(
  work: (server: PaidServer) => Promise<void>,
  creditNano = NANO_PER_USD,
  server = shared,
): Promise<void> {
  try {
    await withPaidAccount(server, creditNano, (paid) =>
      work({ ...paid, spentSeconds: async () => (await paid.spentNano()) / SECOND_NANO }),
    );
  } finally {
    server.transcription.pause = undefined;
    server.transcription.failure = undefined;
    server.transcription.channelCount = 1;
  }
}

/** Like `withPaidServer`, with a server that the test may stop. */
async function withOwnPaidServer(work: (server: PaidServer) => Promise<void>): Promise<void> {
  const server = await startTestServer({ config });
  try {
    await withPaidServer(work, NANO_PER_USD, server);
  } finally {
    await server.close();
  }
}

async function untilSpent(server: PaidServer, seconds: number): Promise<void> {
  const { ledger } = server.accounts.accounting;
  await until('the charge is settled', async () => (await server.spentSeconds()) > 0);
  await until('all holds have ended', async () => (await ledger.verify()).openHolds === 0);
  assert.equal(await server.spentSeconds(), seconds);
}

/** A pause of the scripted transcription before the line with this index, until the request is aborted. */
function pauseBefore(server: TestServer, line: number): Promise<void> {
  return new Promise((resolve) => {
    server.transcription.pause = { line, onPause: resolve };
  });
}

for (const route of TRANSCRIPTION_ROUTES) {
  test(`${route.name}: a client that disconnects pays the transcribed seconds`, () =>
    withPaidServer(async (server) => {
      const paused = pauseBefore(server, 2);
      const leave = new AbortController();
      const failed = assert.rejects(route.transcribe(server, { recording: RECORDING, signal: leave.signal }));
      await paused;
      leave.abort();
      await failed;
      await untilSpent(server, 4);
    }));

  test(`${route.name}: a complete transcript costs its seconds, rounded up`, () =>
    withPaidServer(async (server) => {
      await route.transcribe(server, { recording: 'audio:one two three', signal: never() });
      await untilSpent(server, 2);
    }));

  test(`${route.name}: without credit for the next segment, no more text is sent`, () =>
    withPaidServer(async (server) => {
      await assert.rejects(
        route.transcribe(server, { recording: RECORDING, signal: never() }),
        /402|insufficient/,
      );
      if (route.kind === 'events') await untilSpent(server, 2);
      // A document is not sent at all.
      else assert.equal(await server.spentSeconds(), 0);
    }, 3 * SECOND_NANO));
}

for (const route of TRANSCRIPTION_ROUTES.filter(({ isFish }) => isFish)) {
  test(`${route.name}: channels that are transcribed separately are charged one by one`, () =>
    withPaidServer(async (server) => {
      server.transcription.channelCount = 32;
      const fields = { channels: 'split' };
      await route.transcribe(server, { recording: 'audio:one two three', fields, signal: never() });
      await untilSpent(server, 2 * 32);
    }));
}

test('a stream whose engine fails is charged for the segments that were sent, a document is not', () =>
  withPaidServer(async (server) => {
    server.transcription.failure = { line: 1, error: new Error('broken') };
    for (const route of TRANSCRIPTION_ROUTES.filter(({ kind }) => kind === 'document')) {
      await assert.rejects(route.transcribe(server, { recording: RECORDING, signal: never() }));
    }
    assert.equal(await server.spentSeconds(), 0);
    const stream = TRANSCRIPTION_ROUTES.find(({ kind }) => kind === 'events')!;
    await assert.rejects(stream.transcribe(server, { recording: RECORDING, signal: never() }));
    await untilSpent(server, 2);
  }));

for (const route of LIVE_TRANSCRIPTION_ROUTES) {
  test(`${route.name}: live transcription costs its seconds, rounded up`, () =>
    withPaidServer(async (server) => {
      await route.transcribe(server, { seconds: 2.5, signal: never() });
      await untilSpent(server, 3);
    }));

  test(`${route.name}: live text above the credit is not sent`, () =>
    withPaidServer(async (server) => {
      await assert.rejects(route.transcribe(server, { seconds: 2.5, signal: never() }));
      assert.ok((await server.spentSeconds()) <= 2);
    }, 2 * SECOND_NANO));
}

for (const route of LIVE_TRANSCRIPTION_ROUTES.filter(({ hasPartials }) => hasPartials)) {
  test(`${route.name}: a client that disconnects after partial text pays the transcribed seconds`, () =>
    withPaidServer(async (server) => {
      await route.transcribe(server, { seconds: 4, leavesAtText: true, signal: never() });
      await untilSpent(server, 4);
    }));
}

interface Job {
  readonly id: string;
  readonly status: string;
  readonly error?: { readonly code?: string } | null;
}

for (const { encoding, body } of [
  { encoding: 'multipart', body: (call: Parameters<typeof messagePack>[0]) => multipart(call, 'audio') },
  { encoding: 'MessagePack', body: messagePack },
]) {
  const submit = async (
    server: PaidServer,
    recording: string,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<string> => {
    const call = { recording, fields, signal: never() };
    return (JSON.parse(await postRecording(server, '/v1/asr?async=true', body(call), call)) as Job).id;
  };
  const find = async (server: PaidServer, id: string) =>
    (await (await server.call(`/v1/asr/${id}`)).json()) as Job;
  const untilStatus = (server: PaidServer, id: string, status: string) =>
    until(`the job is ${status}`, async () => (await find(server, id)).status === status);

  test(`a job (${encoding}) that is deleted while it runs costs the transcribed seconds`, () =>
    withPaidServer(async (server) => {
      const paused = pauseBefore(server, 2);
      const id = await submit(server, RECORDING);
      await paused;
      assert.equal((await server.call(`/v1/asr/${id}`, { method: 'DELETE' })).status, 200);
      await untilSpent(server, 4);
      assert.equal((await find(server, id)).status, 'cancelled');
    }));

  test(`a job (${encoding}) stores no text above the credit, and charges the text that it stored`, () =>
    withPaidServer(async (server) => {
      const id = await submit(server, RECORDING);
      await untilStatus(server, id, 'failed');
      const text = await (await server.call(`/v1/asr/${id}?format=text`)).text();
      assert.match(text, /four/);
      assert.doesNotMatch(text, /five/);
      await untilSpent(server, 2);
    }, 3 * SECOND_NANO));

  test(`a job (${encoding}) with separate channels is charged by channel`, () =>
    withPaidServer(async (server) => {
      server.transcription.channelCount = 8;
      const id = await submit(server, RECORDING, { channels: 'split' });
      await untilStatus(server, id, 'finished');
      await untilSpent(server, 6 * 8);
    }));

  test(`a job (${encoding}) that is deleted after the death of its server costs its text`, () =>
    withOwnPaidServer(async (server) => {
      await server.jobs.close();
      const id = await submit(server, RECORDING);
      const db = await openDatabase(server.databaseAddress);
      try {
        // An owner that has died after it stored a segment.
        const store = new SqlJobStore(db);
        const { lease } = (await store.claimById(id, 0))!;
        const words = [{ text: 'one', startSeconds: 0, endSeconds: 4, confidence: 1 }];
        const text = { text: 'one', language: 'en', confidence: 1, words };
        await store.addSegment(lease, 0, { startSeconds: 0, endSeconds: 4, ...text });
      } finally {
        await db.destroy();
      }
      assert.equal((await server.call(`/v1/asr/${id}`, { method: 'DELETE' })).status, 200);
      await untilSpent(server, 4);
    }));

  test(`a job (${encoding}) that continues after a shutdown costs its seconds once`, async () => {
    await withOwnPaidServer(async (server) => {
      const paused = pauseBefore(server, 1);
      const id = await submit(server, RECORDING);
      await paused;
      server.transcription.pause = undefined;
      await server.jobs.close();
      await untilSpent(server, 2);
      const next = await startTestServer({ dataFolder: server.dataFolder, config });
      try {
        await untilStatus(server, id, 'finished');
        await untilSpent(server, 6);
      } finally {
        await next.close();
      }
    });
  });
}
