import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { voicesOf } from '../../support/workers/tone-speech.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer();
});
after(() => server.close());

const dub = (body: object) =>
  server.call('/v1/dub', {
    method: 'POST',
    headers: { 'content-type': 'application/json', model: 's1' },
    body: JSON.stringify(body),
  });

/** Tones of 50 ms per character: the second caption needs a rate of 1.25, but the test voice has one rate only. */
const CAPTIONS = `1
00:00:00,500 --> 00:00:02,000
Hello there.

2
00:00:03,000 --> 00:00:04,000
ANN: ${'word '.repeat(5).trim()}
`;

test('captions are spoken at their times, with the voices of their speakers', async () => {
  server.speech.requests.length = 0;
  const response = await dub({
    captions: CAPTIONS,
    format: 'pcm',
    sample_rate: 24_000,
    reference_id: 'bf_emma',
    speakers: { ANN: 'am_adam' },
  });
  assert.equal(response.status, 200, await response.clone().text());
  const bytes = Buffer.from(await response.arrayBuffer());
  const samples = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1);
  const onset = (from: number) =>
    from + samples.subarray(from * 24_000).findIndex((x) => Math.abs(x) > 400) / 24_000;
  assert.ok(Math.abs(onset(0) - 0.5) < 0.05, `${onset(0)}`);
  assert.ok(Math.abs(onset(2) - 3) < 0.05, `${onset(2)}`);
  const spoken = server.speech.requests.map((request) => [voicesOf(request)[0]?.name, request.text]);
  assert.deepEqual(spoken[0], ['bf_emma', 'Hello there.']);
  assert.deepEqual(spoken[1], ['am_adam', 'word word word word word']);
  assert.ok(server.speech.requests.every(({ speed }) => speed <= 1.3));
});

const REFUSED: readonly (readonly [string, object])[] = [
  ['invalid_captions', { captions: 'nothing' }],
  ['invalid_captions', { captions: '00:02.000 --> 00:01.000\nx' }],
  ['invalid_request', { captions: CAPTIONS, max_speed: 3 }],
  ['invalid_request', {}],
  ['sample_rate_not_supported', { captions: CAPTIONS, format: 'mp3', sample_rate: 8000 }],
  ['voice_not_found', { captions: CAPTIONS, speakers: { ANN: 'nobody' } }],
  ['voice_not_found', { captions: CAPTIONS, reference_id: 'nobody' }],
];
for (const [index, [code, body]] of REFUSED.entries()) {
  test(`captions that cannot be spoken are refused with ${code} (${index + 1})`, async () => {
    const response = await dub(body);
    assert.equal(response.headers.get('x-fish-error-code'), code);
  });
}
