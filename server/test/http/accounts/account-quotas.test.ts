import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';

const KEYS_MAX = 4;
/** Room for one of the responses below, and not for two. */
const ACCOUNT_MAX_BYTES = 20_000;
const SPEECH = { text: 'Hello there, you all.', format: 'pcm', sample_rate: 8000 };

let server: TestServer;
before(async () => {
  server = await startTestServer({
    config: {
      asrJobsPerAccountMax: 1,
      idempotencyKeysMax: KEYS_MAX,
      idempotencyAccountMaxBytes: ACCOUNT_MAX_BYTES,
      dictionaryStoredMax: 3,
    },
  });
});
after(() => server.close());

const codeOf = (response: Response) => response.headers.get('x-fish-error-code');

async function callerOf(account: string) {
  const authorization = `Bearer ${await server.createKeyFor(account)}`;
  const call = (path: string, init: RequestInit = {}) =>
    server.call(path, { ...init, headers: { ...init.headers, authorization } });
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    call(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  return { call, post };
}

test('an account has a limited number of unfinished jobs, whatever other accounts have', async () => {
  const [one, other] = [await callerOf('acc_jobs'), await callerOf('acc_other_jobs')];
  const submit = ({ call }: typeof one) => {
    const body = new FormData();
    body.append('audio', new Blob(['audio:one two\nthree']), 'recording.wav');
    return call('/v1/asr?async=true', { method: 'POST', body });
  };
  server.transcription.msPerLine = 3_600_000;
  const first = await submit(one);
  assert.equal(first.status, 202);
  const refused = await submit(one);
  assert.equal(refused.status, 429);
  assert.equal(codeOf(refused), 'job_limit');
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  const second = await submit(other);
  assert.equal(second.status, 202);
  for (const [caller, response] of [
    [one, first],
    [other, second],
  ] as const) {
    const { id } = (await response.json()) as { id: string };
    assert.equal((await caller.call(`/v1/asr/${id}`, { method: 'DELETE' })).status, 200);
  }
  server.transcription.msPerLine = 0;
  assert.equal((await submit(one)).status, 202, 'an ended job does not count');
  await until('all jobs have ended', async () => server.transcription.active === 0);
});

test('an account has a limited number of idempotency keys', async () => {
  const { post } = await callerOf('acc_keys');
  const speak = (key: string) => post('/v1/tts', SPEECH, { 'idempotency-key': key });
  for (let index = 0; index < KEYS_MAX; index += 1) {
    const response = await speak(`key-${index}`);
    assert.equal(response.status, 200);
    await response.arrayBuffer();
  }
  const refused = await speak('one-more');
  assert.equal(refused.status, 429);
  assert.equal(codeOf(refused), 'idempotency_limit');
  const known = await speak(`key-${KEYS_MAX - 1}`);
  assert.equal(known.headers.get('idempotency-replayed'), 'true', 'a known key is replayed');
  const other = await callerOf('acc_other_keys');
  assert.equal((await other.post('/v1/tts', SPEECH, { 'idempotency-key': 'one-more' })).status, 200);
});

test('the oldest stored responses of an account are removed above its limit, those of others are not', async () => {
  const [one, other] = [await callerOf('acc_bytes'), await callerOf('acc_other_bytes')];
  const speak = async ({ post }: typeof one, key: string) => {
    const response = await post('/v1/tts', SPEECH, { 'idempotency-key': key });
    const { byteLength } = await response.arrayBuffer();
    return { code: codeOf(response), isReplay: response.headers.has('idempotency-replayed'), byteLength };
  };
  const { byteLength } = await speak(other, 'old');
  assert.ok(byteLength < ACCOUNT_MAX_BYTES && 2 * byteLength > ACCOUNT_MAX_BYTES, `${byteLength} bytes`);
  await speak(one, 'old');
  await speak(one, 'new');
  await until('the oldest response is removed', async () => {
    return (await speak(one, 'old')).code === 'idempotency_outcome_gone';
  });
  assert.ok((await speak(one, 'new')).isReplay);
  assert.ok((await speak(other, 'old')).isReplay);
});

test('an account stores a limited number of dictionaries and versions, archived ones included', async () => {
  const { post, call } = await callerOf('acc_dictionaries');
  const create = () => post('/v1/pronunciation-dictionaries', { name: 'names' });
  const { id } = (await (await create()).json()) as { id: string };
  const rules = [{ key: 'one', value: '/wʌn/', case_sensitive: false }];
  const version = await post(`/v1/pronunciation-dictionaries/${id}/versions`, { rules });
  assert.equal(version.status, 201, await version.clone().text());
  assert.ok((await call(`/v1/pronunciation-dictionaries/${id}`, { method: 'DELETE' })).ok);
  const second = await create();
  assert.equal(second.status, 201);
  const third = await create();
  assert.equal(third.status, 409);
  assert.equal(codeOf(third), 'dictionary_limit');
  const { id: secondId } = (await second.json()) as { id: string };
  const publish = await post(`/v1/pronunciation-dictionaries/${secondId}/versions`, { rules });
  assert.equal(codeOf(publish), 'dictionary_limit');
});
