import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FishAudioClient } from 'fish-audio';
import { FIRST_ACCOUNT_ID } from '../../../src/domain/accounts/keys/first-key.ts';
import { NANO_PER_USD } from '../../../src/domain/accounts/ledger/money.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';

let server: TestServer;
let client: FishAudioClient;
before(async () => {
  server = await startTestServer({ config: { billing: 'prepaid' } });
  client = new FishAudioClient({ apiKey: server.key, baseUrl: server.url });
});
after(() => server.close());

const audio = () => new File(['audio:hello there\nwho are you'], 'speech.wav');

test('the official client gets status 402 without credit, before transcription', async () => {
  await assert.rejects(client.speechToText.convert({ audio: audio(), language: 'en' }), { statusCode: 402 });
  assert.equal(server.transcription.requests.length, 0);
});

test('the official client gets words with times and is charged for whole seconds', async () => {
  const { ledger } = server.accounts.accounting;
  await ledger.topUp({ id: 'top', accountId: FIRST_ACCOUNT_ID, amountNano: NANO_PER_USD, memo: '' });
  const transcript = await client.speechToText.convert({
    audio: audio(),
    language: 'en',
    ignore_timestamps: false,
  });
  assert.equal(transcript.text, 'hello there who are you');
  assert.equal(transcript.duration, 2.5);
  assert.equal(transcript.segments?.length, 5);
  const { availableNano } = await ledger.wallet(FIRST_ACCOUNT_ID);
  assert.equal(NANO_PER_USD - availableNano, 3 * (0.36 / 3600) * NANO_PER_USD);
});

test('a recording that cannot be transcribed costs nothing', async () => {
  const { ledger } = server.accounts.accounting;
  const before = await ledger.wallet(FIRST_ACCOUNT_ID);
  const broken = new File(['nothing'], 'speech.wav');
  await assert.rejects(client.speechToText.convert({ audio: broken, language: 'en' }), { statusCode: 400 });
  assert.equal((await ledger.wallet(FIRST_ACCOUNT_ID)).availableNano, before.availableNano);
});
