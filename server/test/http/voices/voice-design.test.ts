import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pack } from 'msgpackr';
import type { VoiceDesignResponse } from '../../../src/api/schemas/voices/voice-design.ts';
import { readWav } from '../../../src/audio/encode/wav.ts';
import { FIRST_ACCOUNT_ID } from '../../../src/domain/accounts/keys/first-key.ts';
import { NANO_PER_USD } from '../../../src/domain/accounts/ledger/money.ts';
import { form, RECORDING } from '../../support/calls/voice-forms.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { RandomVoiceMaker } from '../../support/workers/random-voice-maker.ts';
import { RecordingCloner } from '../../support/workers/recording-cloner.ts';
import { voicesOf } from '../../support/workers/tone-speech.ts';

let server: TestServer;
const maker = new RandomVoiceMaker();
before(async () => {
  server = await startTestServer({ voices: { cloner: new RecordingCloner() }, maker });
});
after(() => server.close());

const ask = (body: object, headers: Record<string, string> = {}, asked = server) =>
  asked.call('/v1/voice-design', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const design = async (body: object): Promise<VoiceDesignResponse> => {
  const response = await ask(body);
  assert.equal(response.status, 200, await response.clone().text());
  return (await response.json()) as VoiceDesignResponse;
};
const wavOf = ({ audio_base64 }: VoiceDesignResponse['candidates'][number]) =>
  Buffer.from(audio_base64, 'base64');

test('a description gives two candidates with audio, and lists the applied words', async () => {
  const { candidates, understood, ignored, seed } = await design({
    instruction: 'A deep, raspy old man from Mars',
    reference_text: 'Hello there.',
  });
  assert.deepEqual(understood, ['deep', 'old', 'man']);
  assert.deepEqual(ignored, ['raspy', 'mars']);
  assert.equal(candidates.length, 2);
  assert.equal(maker.jobs.at(-1)?.seed, seed);
  assert.equal(maker.jobs.at(-1)?.targets.gender, 'male');
  for (const [index, candidate] of candidates.entries()) {
    const { samples, sampleRateHz } = readWav(wavOf(candidate));
    assert.equal(sampleRateHz, 44_100);
    assert.equal(candidate.sample_rate, 44_100);
    assert.equal(candidate.duration_ms, Math.round((samples.length / sampleRateHz) * 1000));
    assert.equal(candidate.index, index);
    assert.equal(candidate.text, 'Hello there.');
    const { gender, age, pitch, accent, pitch_hz, speed_factor, description } = candidate.features;
    assert.deepEqual(
      { gender, age, pitch, accent, pitch_hz },
      { gender: 'male', age: 'old', pitch: 'low', accent: null, pitch_hz: 101.5 },
    );
    assert.ok(speed_factor < 1);
    assert.match(description, /not followed: raspy, mars/);
  }
  assert.equal(server.speech.requests.at(-1)?.speed.toFixed(3), String(candidates[0]?.features.speed_factor));
});

test('the same seed gives the same candidates, another seed gives others', async () => {
  const ids = async (seed?: number) =>
    (await design({ instruction: 'a woman', n: 4, seed })).candidates.map(({ id }) => id);
  const first = await ids(7);
  assert.equal(new Set(first).size, 4);
  assert.deepEqual(await ids(7), first);
  assert.notDeepEqual(await ids(8), first);
  assert.notDeepEqual(await ids(), await ids());
});

test('a candidate is stored exactly by its file and its signature', async () => {
  const { candidates } = await design({ instruction: 'a calm man', n: 2, seed: 3 });
  const create = (fields: Parameters<typeof form>[0]) =>
    server.call('/model', { method: 'POST', body: form({ title: 'Made up', ...fields }) });
  const [first, second] = candidates as [(typeof candidates)[0], (typeof candidates)[0]];

  const kept = await create({ voices: wavOf(first), voice_design_signatures: first.signature });
  assert.equal(kept.status, 201);
  const voice = (await kept.json()) as { _id: string; source: string; state: string; gender: string };
  assert.deepEqual([voice.source, voice.state, voice.gender], ['voice_design', 'trained', 'male']);
  await (await server.speak({ text: 'Hello.', reference_id: voice._id })).arrayBuffer();
  const spoken = voicesOf(server.speech.requests.at(-1))[0]?.vector;
  await design({ instruction: 'a calm man', n: 1, seed: 3 });
  assert.deepEqual(spoken, voicesOf(server.speech.requests.at(-1))[0]?.vector);

  const both = await create({
    voices: [wavOf(first), wavOf(second)],
    voice_design_signatures: [first.signature, second.signature],
  });
  assert.equal(((await both.json()) as { source: string }).source, 'voice_design');

  for (const [voices, signatures] of [
    [RECORDING, first.signature],
    [wavOf(first), `${first.signature.slice(0, -2)}aa`],
    [wavOf(first), `x${first.signature}`],
    [wavOf(first), 'nonsense'],
    [wavOf(first), [first.signature, second.signature]],
  ] as const) {
    const refused = await create({ voices, voice_design_signatures: signatures });
    assert.equal(refused.status, 422);
    assert.equal(refused.headers.get('x-fish-error-code'), 'invalid_parameter');
  }
});

test('voices that were not designed have no source', async () => {
  const cloned = await server.call('/model', {
    method: 'POST',
    body: form({ title: 'Ada', voices: RECORDING }),
  });
  assert.equal('source' in ((await cloned.json()) as object), false);
  const builtIn = await server.call('/model/af_heart');
  assert.equal('source' in ((await builtIn.json()) as object), false);
});

const REFUSED: readonly (readonly [string, object, number, string])[] = [
  ['no instruction', {}, 400, 'invalid_request'],
  ['an empty instruction', { instruction: ' ' }, 400, 'invalid_request'],
  ['a long instruction', { instruction: 'x'.repeat(2001) }, 400, 'invalid_request'],
  ['an unknown field', { instruction: 'x', voice: 'y' }, 400, 'invalid_request'],
  ['too many candidates', { instruction: 'x', n: 5 }, 400, 'invalid_request'],
  ['no candidate', { instruction: 'x', n: 0 }, 400, 'invalid_request'],
  ['no speed', { instruction: 'x', speed: 0 }, 400, 'invalid_request'],
  ['too much speed', { instruction: 'x', speed: 3.1 }, 400, 'invalid_request'],
  ['a long text', { instruction: 'x', reference_text: 'x'.repeat(301) }, 400, 'invalid_request'],
  ['another language', { instruction: 'x', language: 'fr-FR' }, 400, 'language_not_supported'],
  ['a text without words', { instruction: 'x', reference_text: '…' }, 400, 'nothing_to_speak'],
];
for (const [what, body, status, code] of REFUSED) {
  test(`${what} is rejected`, async () => {
    const response = await ask(body);
    assert.equal(response.status, status);
    assert.equal(response.headers.get('x-fish-error-code'), code);
  });
}

test('all fields of the public API are accepted', async () => {
  const { candidates } = await design({
    instruction: 'A young woman',
    reference_text: null,
    language: 'en-US',
    n: 1,
    speed: 3,
    num_step: 32,
    guidance_scale: 2,
    instruct_guidance_scale: 0,
    seed: null,
  });
  assert.equal(candidates[0]?.features.speed_factor, 2);
  assert.ok((candidates[0]?.text.length ?? 0) > 20);
});

test('only JSON is accepted', async () => {
  const headers = { 'content-type': 'application/msgpack' };
  const body = new Uint8Array(pack({ instruction: 'x' }));
  const response = await server.call('/v1/voice-design', { method: 'POST', headers, body });
  assert.equal(response.status, 415);
});

test('a design is charged one cent, once, and a rejected one is not charged', async () => {
  const paid = await startTestServer({
    config: { billing: 'prepaid' },
    voices: { cloner: new RecordingCloner() },
    maker,
  });
  try {
    const credit = async () =>
      Number(((await (await paid.call('/wallet/self/api-credit')).json()) as { credit: string }).credit);
    assert.equal((await ask({ instruction: 'a man' }, {}, paid)).status, 402);
    const top = { id: 'top', accountId: FIRST_ACCOUNT_ID, amountNano: NANO_PER_USD, memo: '' };
    await paid.accounts.accounting.ledger.topUp(top);
    const first = await ask({ instruction: 'a man' }, { 'idempotency-key': 'one' }, paid);
    assert.equal(first.status, 200);
    const bytes = await first.text();
    const again = await ask({ instruction: 'a man' }, { 'idempotency-key': 'one' }, paid);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.equal(await again.text(), bytes);
    assert.equal((await ask({ instruction: '' }, {}, paid)).status, 400);
    assert.equal(await credit(), 0.99);
  } finally {
    await paid.close();
  }
});

test('a server without a cloning engine responds cloning_unavailable', async () => {
  const bare = await startTestServer();
  try {
    const response = await ask({ instruction: 'a man' }, {}, bare);
    assert.equal(response.status, 501);
    assert.equal(response.headers.get('x-fish-error-code'), 'cloning_unavailable');
  } finally {
    await bare.close();
  }
});
