import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { test } from 'node:test';
import type { VoiceDesignResponse } from '../../../src/api/schemas/voices/voice-design.ts';
import { FIRST_ACCOUNT_ID } from '../../../src/domain/accounts/keys/first-key.ts';
import { formatUsd, NANO_PER_USD } from '../../../src/domain/accounts/ledger/money.ts';
import { SAMPLE_TEXT } from '../../../src/domain/voices/library/voice-previews.ts';
import type { ClipTranscriber } from '../../../src/domain/voices/voice-cloner.ts';
import {
  type Fields,
  FORM_ENCODINGS,
  form,
  OTHER_RECORDING,
  RECORDING,
} from '../../support/calls/voice-forms.ts';
import type { TestServer } from '../../support/servers/http-server.ts';
import {
  BYTE_NANO,
  DESIGN_NANO,
  type PrepaidServer,
  SECOND_NANO,
  withPrepaidServer,
} from '../../support/servers/prepaid-server.ts';
import { until } from '../../support/servers/real-server.ts';
import { RandomVoiceMaker } from '../../support/workers/random-voice-maker.ts';
import { RecordingCloner } from '../../support/workers/recording-cloner.ts';

const design = (server: TestServer, body: object, headers: Record<string, string> = {}) =>
  server.call('/v1/voice-design', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ instruction: 'a calm man', ...body }),
  });

function designServer() {
  const maker = new RandomVoiceMaker();
  return { maker, options: { voices: { cloner: new RecordingCloner() }, maker } };
}

test('a design with the standard sentence costs the design only', async () => {
  const { options } = designServer();
  await withPrepaidServer(async (server) => {
    await server.topUp(DESIGN_NANO);
    const response = await design(server, { n: 4 });
    assert.equal(response.headers.get('x-mynah-cost'), formatUsd(DESIGN_NANO));
    await response.arrayBuffer();
    await server.assertSpent(DESIGN_NANO);
  }, options);
});

test('the text of a design is charged like speech, for each candidate', async () => {
  const { options } = designServer();
  const priceNano = DESIGN_NANO + 3 * Buffer.byteLength('Grüße, reader.') * BYTE_NANO;
  await withPrepaidServer(async (server) => {
    await server.topUp(priceNano);
    const response = await design(server, { reference_text: ' Grüße, reader. ', n: 3 });
    assert.equal(response.headers.get('x-mynah-cost'), formatUsd(priceNano));
    assert.equal(((await response.json()) as VoiceDesignResponse).candidates.length, 3);
    await server.assertSpent(priceNano);
  }, options);
});

test('a design whose text exceeds the credit is refused before any work, and costs nothing', async () => {
  const { options, maker } = designServer();
  const text = 'x'.repeat(300);
  await withPrepaidServer(async (server) => {
    await server.topUp(DESIGN_NANO + 4 * 300 * BYTE_NANO - 1);
    const refused = await design(server, { reference_text: text, n: 4 });
    assert.equal(refused.headers.get('x-fish-error-code'), 'insufficient_balance');
    assert.equal(maker.jobs.length, 0);
    await server.assertSpent(0);
  }, options);
});

test('a repeated design with an idempotency key is charged once, with its text', async () => {
  const { options } = designServer();
  const priceNano = DESIGN_NANO + 2 * 6 * BYTE_NANO;
  await withPrepaidServer(async (server) => {
    await server.topUp(NANO_PER_USD);
    const send = () => design(server, { reference_text: 'Hello.' }, { 'idempotency-key': 'once' });
    await (await send()).arrayBuffer();
    const again = await send();
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    await again.arrayBuffer();
    await server.assertSpent(priceNano);
  }, options);
});

test('a design that fails costs nothing', async () => {
  const { options } = designServer();
  await withPrepaidServer(async (server) => {
    await server.topUp(NANO_PER_USD);
    assert.equal((await design(server, { reference_text: '…' })).status, 400);
    await server.assertSpent(0);
  }, options);
});

test('a client that disconnects during the response is charged for the design', async () => {
  const { options } = designServer();
  const body = JSON.stringify({ instruction: 'a man', n: 4, reference_text: 'Hello there, reader.' });
  await withPrepaidServer(async (server) => {
    await server.topUp(NANO_PER_USD);
    await new Promise<void>((resolve, reject) => {
      const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' };
      const sent = httpRequest(`${server.url}/v1/voice-design`, { method: 'POST', headers }, (response) => {
        response.once('data', () => {
          sent.destroy();
          resolve();
        });
      });
      sent.once('error', reject);
      sent.end(body);
    });
    await server.assertSpent(DESIGN_NANO + 4 * 20 * BYTE_NANO);
  }, options);
});

/** A transcriber that counts the seconds it receives. */
class CountingTranscriber implements ClipTranscriber {
  readonly seconds: number[] = [];

  async transcribe(samples: Float32Array) {
    this.seconds.push(samples.length / 16_000);
    return { text: 'What is said.', language: 'en' };
  }
}

interface Entity {
  readonly _id: string;
  readonly samples: readonly { readonly text: string }[];
}

async function samplesOf(server: PrepaidServer, id: string): Promise<readonly string[]> {
  const entity = (await (await server.call(`/model/${id}`)).json()) as Entity;
  return entity.samples.map(({ text }) => text);
}

async function createVoice(server: PrepaidServer, encoding: string, fields: Fields): Promise<string> {
  const { type, body } = FORM_ENCODINGS[encoding]!(fields);
  const response = await server.call('/model', {
    method: 'POST',
    body,
    ...(type !== undefined && { headers: { 'content-type': type } }),
  });
  assert.equal(response.status, 201, await response.clone().text());
  return ((await response.json()) as Entity)._id;
}

for (const encoding of Object.keys(FORM_ENCODINGS)) {
  test(`POST /model, ${encoding}: a sample is a sentence of the server, never the title, and free`, async () => {
    await withPrepaidServer(
      async (server) => {
        const title = 'Chapter one. A long text that somebody wants to have spoken';
        const id = await createVoice(server, encoding, {
          title,
          voices: RECORDING,
          texts: 'Mine.',
          generate_sample: 'true',
        });
        await until('the sample is stored', async () => (await samplesOf(server, id)).length === 2);
        assert.deepEqual(await samplesOf(server, id), ['Mine.', SAMPLE_TEXT]);
        assert.deepEqual(
          server.speech.requests.map(({ text, accountId }) => [text, accountId]),
          [[SAMPLE_TEXT, FIRST_ACCOUNT_ID]],
        );
        await server.assertSpent(0);
      },
      { voices: { cloner: new RecordingCloner() } },
    );
  });

  test(`POST /model, ${encoding}: transcripts are charged like transcription, as far as the credit covers them`, async () => {
    const transcriber = new CountingTranscriber();
    await withPrepaidServer(
      async (server) => {
        const fields = { title: 'Ada', voices: [RECORDING, OTHER_RECORDING] };
        const unpaid = await createVoice(server, encoding, { ...fields, generate_sample: 'true' });
        await until('the sample is stored', async () => (await samplesOf(server, unpaid)).length === 3);
        assert.deepEqual(await samplesOf(server, unpaid), ['', '', SAMPLE_TEXT]);
        assert.equal(transcriber.seconds.length, 0);

        await server.topUp(NANO_PER_USD);
        const paid = await createVoice(server, encoding, fields);
        await until('it is transcribed', async () => !(await samplesOf(server, paid)).includes(''));
        const units = transcriber.seconds.reduce((sum, seconds) => sum + Math.ceil(seconds), 0);
        assert.equal(transcriber.seconds.length, 2);
        assert.ok(units > 5);
        await server.assertSpent(units * SECOND_NANO);
      },
      { voices: { cloner: new RecordingCloner(), transcriber } },
    );
  });
}

test('POST /v1/references/add: the transcript is charged like transcription', async () => {
  const transcriber = new CountingTranscriber();
  await withPrepaidServer(
    async (server) => {
      await server.topUp(NANO_PER_USD);
      const add = (fields: Fields) =>
        server.call('/v1/references/add?format=json', { method: 'POST', body: form(fields) });
      assert.equal((await add({ id: 'own text', audio: RECORDING, text: 'Mine.' })).status, 200);
      assert.equal((await add({ id: 'no text', audio: RECORDING })).status, 200);
      await until('it is transcribed', () => transcriber.seconds.length === 1);
      await server.assertSpent(Math.ceil(transcriber.seconds[0]!) * SECOND_NANO);
    },
    { voices: { cloner: new RecordingCloner(), transcriber } },
  );
});

test('the audio of a design is made for the account, so that it carries its watermark', async () => {
  const { options } = designServer();
  await withPrepaidServer(async (server) => {
    await server.topUp(NANO_PER_USD);
    await (await design(server, { n: 2 })).arrayBuffer();
    assert.deepEqual(
      server.speech.requests.map(({ accountId }) => accountId),
      [FIRST_ACCOUNT_ID, FIRST_ACCOUNT_ID],
    );
  }, options);
});
