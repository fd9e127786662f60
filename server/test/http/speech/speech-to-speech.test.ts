import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FIRST_ACCOUNT_ID } from '../../../src/domain/accounts/keys/first-key.ts';
import { NANO_PER_USD } from '../../../src/domain/accounts/ledger/money.ts';
import { type PaidServer, withPaidAccount } from '../../support/billing/paid-account.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';
import { voicesOf } from '../../support/workers/tone-speech.ts';

/** Prices of a second of audio and of a byte of text. */
const SECOND_NANO = 100_000;
const BYTE_NANO = 15_000;
/** Two segments of one second, the second one after the first. */
const RECORDING = 'audio:one two\nthree four';

let server: TestServer;
before(async () => {
  server = await startTestServer({ config: { billing: 'prepaid' } });
});
after(() => server.close());

const withCredit = (work: (paid: PaidServer) => Promise<void>, creditNano = NANO_PER_USD) =>
  withPaidAccount(server, creditNano, work);

function form(fields: Readonly<Record<string, string>>, recording: string | undefined = RECORDING): FormData {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  if (recording !== '') body.set('audio', new Blob([recording]));
  return body;
}

const convert = (
  paid: Pick<PaidServer, 'call'>,
  fields: Readonly<Record<string, string>> = {},
  { recording = RECORDING, path = '/v1/speech-to-speech', signal = new AbortController().signal } = {},
) => paid.call(path, { method: 'POST', body: form(fields, recording), signal });

for (const [name, path, fields] of [
  ['native', '/v1/speech-to-speech', { reference_id: 'bf_emma', format: 'pcm', sample_rate: '24000' }],
  ['ElevenLabs', '/compat/elevenlabs/v1/speech-to-speech/bf_emma?output_format=pcm_24000', {}],
  ['ElevenLabs stream', '/compat/elevenlabs/v1/speech-to-speech/bf_emma/stream?output_format=pcm_24000', {}],
] as const) {
  test(`${name}: the words of a recording are spoken at their times, and both services are charged`, () =>
    withCredit(async (paid) => {
      server.speech.requests.length = 0;
      const response = await convert(paid, fields, { path });
      assert.equal(response.status, 200, await response.clone().text());
      assert.equal(response.headers.get('x-mynah-voice'), 'bf_emma');
      const bytes = Buffer.from(await response.arrayBuffer());
      assert.ok(bytes.length / 2 / 24_000 >= 2);
      const texts = new Set(server.speech.requests.map(({ text }) => text));
      assert.deepEqual([...texts].join(' '), 'one two three four');
      assert.ok(server.speech.requests.every((request) => voicesOf(request)[0]?.name === 'bf_emma'));
      assert.equal(server.transcription.requests.at(-1)?.wantsPitch, true);
      const expectedNano = 2 * SECOND_NANO + Buffer.byteLength('one twothree four') * BYTE_NANO;
      await until('the charge is settled', async () => (await paid.spentNano()) > 0);
      assert.equal(await paid.spentNano(), expectedNano);
      assert.equal(Number(response.headers.get('x-mynah-cost')), expectedNano / NANO_PER_USD);
    }));
}

test('the melody is not measured when it is not kept', () =>
  withCredit(async (paid) => {
    await (await convert(paid, { keep_pitch: 'false' })).arrayBuffer();
    assert.equal(server.transcription.requests.at(-1)?.wantsPitch, false);
  }));

test('a client that disconnects pays the transcribed seconds', () =>
  withCredit(async (paid) => {
    const leave = new AbortController();
    const paused = new Promise<void>((resolve) => {
      server.transcription.pause = { line: 1, onPause: resolve };
    });
    const failed = assert.rejects(convert(paid, {}, { signal: leave.signal }));
    await paused;
    leave.abort();
    await failed;
    server.transcription.pause = undefined;
    await until('the charge is settled', async () => (await paid.spentNano()) > 0);
    assert.equal(await paid.spentNano(), SECOND_NANO);
  }));

test('credit for the transcription alone is refused before anything is spoken', () =>
  withCredit(async (paid) => {
    server.speech.requests.length = 0;
    const response = await convert(paid);
    assert.equal(response.headers.get('x-fish-error-code'), 'insufficient_balance');
    assert.equal(server.speech.requests.length, 0);
    assert.equal(await paid.spentNano(), 0);
  }, 2 * SECOND_NANO));

const REFUSED: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
  ['invalid_request', {}, ''],
  ['invalid_audio', {}, 'noise'],
  ['nothing_to_speak', {}, 'audio:'],
  ['voice_not_found', { reference_id: 'nobody' }, RECORDING],
  ['invalid_request', { format: 'ogg' }, RECORDING],
  ['sample_rate_not_supported', { format: 'mp3', sample_rate: '8000' }, RECORDING],
];
for (const [code, fields, recording] of REFUSED) {
  test(`${code} is refused without a charge (${JSON.stringify({ ...fields, recording })})`, () =>
    withCredit(async (paid) => {
      const response = await convert(paid, fields, { recording });
      assert.equal(response.headers.get('x-fish-error-code'), code);
      assert.equal(await paid.spentNano(), 0);
    }));
}

test('a key needs the scopes of both services', async () => {
  const credit = { id: 'scopes', accountId: FIRST_ACCOUNT_ID, amountNano: NANO_PER_USD, memo: '' };
  await server.accounts.accounting.ledger.topUp(credit);
  for (const scopes of [['asr'], ['tts']] as const) {
    const { key } = await server.keys.create({
      accountId: FIRST_ACCOUNT_ID,
      name: 'one scope',
      scopes: [...scopes],
    });
    const headers = { authorization: `Bearer ${key}` };
    for (const path of ['/v1/speech-to-speech', '/compat/elevenlabs/v1/speech-to-speech/bf_emma']) {
      const response = await fetch(server.url + path, { method: 'POST', headers, body: form({}) });
      assert.equal(response.status, 403);
      await response.arrayBuffer();
    }
  }
});
