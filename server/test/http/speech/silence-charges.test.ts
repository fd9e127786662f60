import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FORMATS } from '../../../src/audio/formats.ts';
import { NANO_PER_USD } from '../../../src/domain/accounts/ledger/money.ts';
import { type PaidServer, withPaidAccount } from '../../support/billing/paid-account.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';
import { createPacedSpeech, PacedWorkers } from '../../support/workers/paced-speech.ts';

/** Price of one byte of text. */
const BYTE_NANO = 15_000;
const RATE_HZ = 8000;
const SILENCE = { silenceMaxSeconds: 10, pieceSilenceMaxSeconds: 4 };

let server: TestServer;
before(async () => {
  server = await startTestServer({
    speech: createPacedSpeech(new PacedWorkers({ workSeconds: 0 }), { waitMs: 60_000 }, SILENCE),
    config: { billing: 'prepaid', dubSecondsPerByte: 1, ...SILENCE },
  });
});
after(() => server.close());

const withAccount = (work: (paid: PaidServer) => Promise<void>) =>
  withPaidAccount(server, NANO_PER_USD, work);

function post(paid: PaidServer, path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', model: 's1' };
  return paid.call(path, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** A WebVTT file. */
function vtt(
  ...cues: readonly (readonly [startSeconds: number, endSeconds: number, text: string])[]
): string {
  const time = (seconds: number) => new Date(seconds * 1000).toISOString().slice(11, 23);
  const blocks = cues.map(([start, end, text]) => `${time(start)} --> ${time(end)}\n${text}`);
  return ['WEBVTT', ...blocks].join('\n\n');
}

async function assertSpent(paid: PaidServer, nano: number): Promise<void> {
  await until('it is settled', async () => (await paid.spentNano()) >= nano);
  assert.equal(await paid.spentNano(), nano);
}

/** Files that want more silence than their text pays for. */
const SPARSE: Readonly<Record<string, string>> = {
  'a late start': vtt([12.001, 13, 'Hi']),
  'a gap': vtt([0, 1, 'a'], [13, 14, 'b']),
  'a caption of hours before the last': vtt([0, 86_000, 'a'], [86_000, 86_001, 'b']),
  'a late caption without speech': vtt([0, 1, 'a'], [80_000, 80_001, '♪']),
};

for (const format of Object.keys(FORMATS)) {
  test(`a dub as ${format} has no more silence than its text pays for`, () =>
    withAccount(async (paid) => {
      for (const [name, captions] of Object.entries(SPARSE)) {
        const refused = await post(paid, '/v1/dub', { captions, format });
        assert.equal(refused.headers.get('x-fish-error-code'), 'invalid_captions', name);
      }
      assert.equal(await paid.spentNano(), 0);
      // Ten seconds, and one for each byte.
      const allowed = await post(paid, '/v1/dub', { captions: vtt([12, 13, 'Hi']), format });
      assert.equal(allowed.status, 200, await allowed.clone().text());
      assert.ok((await allowed.arrayBuffer()).byteLength > 0);
      await assertSpent(paid, 2 * BYTE_NANO);
    }));
}

test('a client that leaves in the silence before a caption pays the caption', () =>
  withAccount(async (paid) => {
    const body = { captions: vtt([12, 13, 'Hi']), format: 'pcm', sample_rate: 44_100 };
    const response = await post(paid, '/v1/dub', body);
    const reader = response.body!.getReader();
    await reader.read();
    await reader.cancel();
    await assertSpent(paid, 2 * BYTE_NANO);
  }));

/** Five sentences, with 400 s of pauses or, in a text of the same length, with none. */
function sentences(pause: '10s' | '00s'): string {
  return `<speak>${`a.${`<break time="${pause}"/>`.repeat(8)}`.repeat(5)}</speak>`;
}

/** The pauses differ by less than this from their limit: a break also replaces the pause of a sentence. */
const TOLERANCE_SECONDS = 2;

/** Compares the duration of a text with pauses to that of the same text without. */
async function assertPauses(
  secondsOf: (text: string) => Promise<number>,
  expectedSeconds: number,
): Promise<void> {
  const pauses = (await secondsOf(sentences('10s'))) - (await secondsOf(sentences('00s')));
  assert.ok(Math.abs(pauses - expectedSeconds) < TOLERANCE_SECONDS, `${pauses} s of pauses`);
}

/** The duration of the response. */
async function pcmSeconds(paid: PaidServer, path: string, body: object): Promise<number> {
  const response = await post(paid, path, { ...body, format: 'pcm', sample_rate: RATE_HZ });
  assert.equal(response.status, 200, await response.clone().text());
  return (await response.arrayBuffer()).byteLength / (2 * RATE_HZ);
}

test('the pauses of a request are limited', () =>
  withAccount(async (paid) => {
    await assertPauses((text) => pcmSeconds(paid, '/v1/tts', { text }), SILENCE.silenceMaxSeconds);
    await assertSpent(paid, 2 * sentences('10s').length * BYTE_NANO);
  }));

test('the pauses of a caption are limited, also as SSML in entities', () =>
  withAccount(async (paid) => {
    const asEntities = (text: string) => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    const secondsOf = (text: string) =>
      pcmSeconds(paid, '/v1/dub', { captions: vtt([0, 100, asEntities(text)]) });
    await assertPauses(secondsOf, SILENCE.pieceSilenceMaxSeconds);
    await assertSpent(paid, 2 * sentences('10s').length * BYTE_NANO);
  }));

test('the pauses of each section of an audiobook are limited', () =>
  withAccount(async (paid) => {
    // Two sections: they are longer than the limit of one.
    const secondsOf = async (text: string) => {
      const book = { text: `${text}\n\n${text}`, input_format: 'text' };
      const created = await post(paid, '/v1/tts/jobs', book);
      assert.equal(created.status, 202, await created.clone().text());
      const { id } = (await created.json()) as { id: string };
      const job = async () =>
        (await (await paid.call(`/v1/tts/jobs/${id}`)).json()) as {
          status: string;
          chapters: { end: number }[];
        };
      await until('the book is spoken', async () => (await job()).status === 'finished');
      return (await job()).chapters.at(-1)!.end;
    };
    await assertPauses(secondsOf, 2 * SILENCE.pieceSilenceMaxSeconds);
    await assertSpent(paid, 4 * sentences('10s').length * BYTE_NANO);
  }));
