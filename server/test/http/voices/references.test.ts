import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pack, unpack } from 'msgpackr';
import { form, RECORDING } from '../../support/calls/voice-forms.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { RecordingCloner } from '../../support/workers/recording-cloner.ts';
import { voicesOf } from '../../support/workers/tone-speech.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer({ voices: { cloner: new RecordingCloner() } });
});
after(() => server.close());

interface Answer {
  readonly success: boolean;
  readonly message: string;
  readonly reference_id: string;
  readonly reference_ids: readonly string[];
}

/** A call as in fish-speech's clients; the response is MessagePack. */
async function call(path: string, init: RequestInit = {}, key = server.key) {
  const headers = { authorization: `Bearer ${key}`, ...init.headers };
  const response = await fetch(`${server.url}/v1/references/${path}`, { ...init, headers });
  assert.equal(response.headers.get('content-type'), 'application/msgpack');
  return { status: response.status, answer: unpack(Buffer.from(await response.arrayBuffer())) as Answer };
}

const add = (id: string, audio: Uint8Array = RECORDING, key?: string) =>
  call('add', { method: 'POST', body: form({ id, audio, text: 'Hello.' }) }, key);
const packed = (body: object) => ({
  headers: { 'content-type': 'application/msgpack' },
  body: new Uint8Array(pack(body)),
});

test('a reference is added, listed, used for speech, renamed and deleted', async () => {
  const added = await add('my voice-1');
  assert.deepEqual(
    [added.status, added.answer.success, added.answer.reference_id],
    [200, true, 'my voice-1'],
  );
  const listed = await call('list');
  assert.ok(listed.answer.reference_ids.includes('my voice-1'));
  assert.ok(listed.answer.reference_ids.includes('af_heart'));

  const spoken = await server.speak({ text: 'Hello.', reference_id: 'my voice-1' });
  assert.equal(spoken.status, 200, await spoken.clone().text());
  await spoken.arrayBuffer();
  const request = server.speech.requests.at(-1);
  assert.deepEqual(
    voicesOf(request).map(({ title }) => title),
    ['my voice-1'],
  );

  const names = { old_reference_id: 'my voice-1', new_reference_id: 'other' };
  const renamed = await call('update', { method: 'POST', ...packed(names) });
  assert.deepEqual([renamed.status, renamed.answer.reference_id], [200, 'other']);
  assert.equal((await server.speak({ text: 'Hello.', reference_id: 'my voice-1' })).status, 400);
  const both = await server.speak({
    text: '<|speaker:0|>Hello. <|speaker:1|>Hello.',
    reference_id: ['af_heart', 'other'],
  });
  assert.equal(both.status, 200);
  await both.arrayBuffer();

  const deleted = await call('delete', { method: 'DELETE', ...packed({ reference_id: 'other' }) });
  assert.deepEqual([deleted.status, deleted.answer.success], [200, true]);
  assert.deepEqual((await call('list')).answer.reference_ids.includes('other'), false);
  const own = (await (await server.call('/model?self=true')).json()) as { total: number };
  assert.equal(own.total, 0);
});

test('names are unique within an account and independent of other accounts', async () => {
  await add('twice');
  const again = await add('twice');
  assert.deepEqual([again.status, again.answer.success], [409, false]);
  assert.match(again.answer.message, /already exists/);
  assert.equal((await add('AF_heart')).status, 409);

  const stranger = await server.createKeyFor('acc_stranger');
  assert.equal((await call('list', {}, stranger)).answer.reference_ids.includes('twice'), false);
  const wish = { text: 'Hello.', reference_id: 'twice' };
  assert.equal((await server.speak(wish, { authorization: `Bearer ${stranger}` })).status, 400);
  assert.equal((await add('twice', RECORDING, stranger)).status, 200);
});

test('two concurrent requests for one name create one voice', async () => {
  const statuses = (await Promise.all([add('race'), add('race')])).map(({ status }) => status);
  assert.deepEqual(statuses.toSorted(), [200, 409]);
});

test('an invalid reference is rejected, and nothing is stored', async () => {
  assert.equal((await add('a/../b')).status, 400);
  assert.equal((await add('x'.repeat(256))).status, 400);
  assert.equal((await add('broken', Buffer.from('no audio'))).status, 400);
  const missing = await call('delete', { method: 'DELETE', ...packed({ reference_id: 'nobody' }) });
  assert.deepEqual([missing.status, missing.answer.success], [404, false]);
  assert.equal((await call('list')).answer.reference_ids.includes('broken'), false);
});
