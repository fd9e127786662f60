import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { FIRST_ACCOUNT_ID as accountId } from '../../../src/domain/accounts/keys/first-key.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';

const BYTE_NANO = 15_000;
const PARAGRAPH = 'One sentence of the book. '.repeat(40).trim();
/** Three sections. */
const TEXT = [PARAGRAPH, PARAGRAPH, PARAGRAPH].join('\n\n');
const SECTION_NANO = PARAGRAPH.length * BYTE_NANO;

interface Job {
  readonly id: string;
  readonly status: string;
  readonly error: { readonly code: string } | null;
}

/** Creates a book of `TEXT`. */
async function createBook(server: TestServer) {
  const jobOf = async (path: string, init?: RequestInit) =>
    (await (await server.call(path, init)).json()) as Job;
  const { id } = await jobOf('/v1/tts/jobs', {
    method: 'POST',
    headers: { 'content-type': 'application/json', model: 's1' },
    body: JSON.stringify({ text: TEXT }),
  });
  const path = `/v1/tts/jobs/${id}`;
  const read = () => jobOf(path);
  const becomes = (status: string) =>
    until(`the job is ${status}`, async () => (await read()).status === status);
  return { id, path, read, becomes };
}

test('a book pauses when the credit is spent, continues after a top-up, and each section is charged once', async () => {
  const server = await startTestServer({ config: { billing: 'prepaid' } });
  const { ledger } = server.accounts.accounting;
  const spentNano = async () => (await ledger.wallet(accountId)).spentNano;
  try {
    await ledger.topUp({ id: 'first', accountId, amountNano: 1.5 * SECTION_NANO, memo: '' });
    const book = await createBook(server);
    await book.becomes('paused');
    assert.equal((await book.read()).error?.code, 'insufficient_balance');
    // A section whose price is held is aborted when the next one finds no credit.
    assert.ok([0, SECTION_NANO].includes(await spentNano()));
    await ledger.topUp({ id: 'second', accountId, amountNano: 10 * SECTION_NANO, memo: '' });
    await server.call(`${book.path}/resume`, { method: 'POST' });
    await book.becomes('finished');
    assert.equal(await spentNano(), 3 * SECTION_NANO);
    const { openHolds, problems } = await ledger.verify();
    assert.deepEqual([openHolds, problems], [0, []]);
  } finally {
    await server.close();
  }
});

test('a book whose sections cannot be written waits for the disk, and is charged only for what is stored', async () => {
  const log: string[] = [];
  const server = await startTestServer({
    config: { billing: 'prepaid' },
    log: { write: (line) => void log.push(line) },
  });
  const { ledger } = server.accounts.accounting;
  try {
    await ledger.topUp({ id: 'first', accountId, amountNano: BYTE_NANO, memo: '' });
    const book = await createBook(server);
    await book.becomes('paused');
    // A file where the folder of the sections would be: a fault of the file system.
    const obstacle = join(server.dataFolder, 'files', 'audiobooks', book.id, 'sections');
    await rm(obstacle, { recursive: true, force: true });
    await writeFile(obstacle, '');
    await ledger.topUp({ id: 'second', accountId, amountNano: 10 * SECTION_NANO, memo: '' });
    await server.call(`${book.path}/resume`, { method: 'POST' });
    await until('the job waits', () => log.some((line) => line.includes('waits for the storage')));
    assert.equal((await book.read()).status, 'queued');
    assert.equal((await ledger.wallet(accountId)).spentNano, 0);

    await rm(obstacle);
    await server.call(`${book.path}/pause`, { method: 'POST' });
    await server.call(`${book.path}/resume`, { method: 'POST' });
    await book.becomes('finished');
    assert.equal((await ledger.wallet(accountId)).spentNano, 3 * SECTION_NANO);
    const { openHolds, problems } = await ledger.verify();
    assert.deepEqual([openHolds, problems], [0, []]);
  } finally {
    await server.close();
  }
});
