import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { form, OTHER_RECORDING, RECORDING } from '../../support/calls/voice-forms.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { RecordingCloner } from '../../support/workers/recording-cloner.ts';

const cloner = new RecordingCloner();
let server: TestServer;
let strangerKey: string;

before(async () => {
  server = await startTestServer({ voices: { cloner } });
  strangerKey = await server.createKeyFor('acc_stranger');
});
after(() => server.close());

type Entity = Record<string, unknown> & { readonly _id: string };
const read = async (response: Response) => (await response.json()) as Entity;
const as = (key: string) => ({ authorization: `Bearer ${key}` });

async function create(recording = RECORDING): Promise<Entity> {
  const body = form({ title: 'Ada', voices: recording });
  const response = await server.call('/model', { method: 'POST', body });
  assert.equal(response.status, 201, await response.clone().text());
  return read(response);
}

test('a voice is mixed from others by weight, in a form, in a JSON part of a form and in JSON', async () => {
  const [first, second] = [await create(), await create(OTHER_RECORDING)];
  const mix = [{ id: first._id, weight: 2 }, { id: second._id }];
  const bodies = [
    { body: form({ title: 'Both', mix: JSON.stringify(mix) }) },
    {
      body: [
        ...['--part', 'content-disposition: form-data; name="title"', '', 'Both'],
        ...['--part', 'content-disposition: form-data; name="mix"', 'content-type: application/json', ''],
        ...[JSON.stringify(mix), '--part--', ''],
      ].join('\r\n'),
      headers: { 'content-type': 'multipart/form-data; boundary=part' },
    },
    {
      body: JSON.stringify({ title: 'Both', mix, train_mode: 'full' }),
      headers: { 'content-type': 'application/json' },
    },
  ];
  for (const init of bodies) {
    cloner.mixed = [];
    const response = await server.call('/model', { method: 'POST', ...init });
    assert.equal(response.status, 201, await response.clone().text());
    const made = await read(response);
    assert.equal(made.state, 'trained');
    assert.equal(made.gender, 'male');
    assert.deepEqual(made.samples, []);
    assert.deepEqual(
      cloner.mixed.map(({ voice, weight }) => [voice instanceof Float32Array, weight]),
      [
        [true, 2],
        [true, 1],
      ],
    );
    const spoken = await server.call('/v1/tts', {
      method: 'POST',
      body: JSON.stringify({ text: 'Hello.', reference_id: made._id }),
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(spoken.status, 200);
  }
});

test('an invalid mix is rejected with the reason', async () => {
  const mine = await create();
  const foreign = await read(
    await server.call('/model', {
      method: 'POST',
      body: form({ title: 'Theirs', voices: RECORDING }),
      headers: as(strangerKey),
    }),
  );
  const cases = [
    [[{ id: mine._id }], 422, /mix/],
    [[{ id: mine._id }, { id: 'af_heart' }], 422, /cannot be mixed/],
    [[{ id: mine._id }, { id: foreign._id }], 404, /does not exist/],
    [[{ id: mine._id }, { id: mine._id, weight: 0 }], 422, /weight/],
    ['everything', 422, /mix/],
  ] as const;
  for (const [mix, status, reason] of cases) {
    const body = JSON.stringify({ title: 'x', mix });
    const headers = { 'content-type': 'application/json' };
    const response = await server.call('/model', { method: 'POST', body, headers });
    assert.equal(response.status, status, JSON.stringify(mix));
    assert.match(await response.text(), reason);
  }
  const both = form({ title: 'x', voices: RECORDING, mix: JSON.stringify([{ id: 'a' }, { id: 'b' }]) });
  const response = await server.call('/model', { method: 'POST', body: both });
  assert.equal(response.status, 422);
  assert.match(await response.text(), /together with voices/);
});
