import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { Packr } from 'msgpackr';
import { UploadFolder } from '../../infrastructure/files/upload-folder.ts';
import { decodedBase64 } from './base64-decoder.ts';
import { FormBuilder, type FormRecording } from './form-builder.ts';
import { readJsonForm } from './plain-json.ts';
import { readMsgpackForm } from './plain-msgpack.ts';

const folder = await mkdtemp(join(tmpdir(), 'mynah-forms-'));
const space = await UploadFolder.open(folder);
after(() => rm(folder, { recursive: true }));

const packr = new Packr({ useRecords: false });
const OPTIONS = { maxBytes: 1000, recordingFields: ['voices'], fileFields: ['cover'], space };
type Reader = (source: AsyncGenerator<Buffer>, form: FormBuilder) => Promise<void>;

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

/** The form with its recordings as their bytes. */
async function read(reader: Reader, body: Buffer | string, size = 7): Promise<Record<string, unknown[]>> {
  const form = new FormBuilder(OPTIONS);
  try {
    await reader(inPieces(Buffer.from(body), size), form);
    const { voices = [], ...fields } = form.form();
    const sounds = await Promise.all((voices as FormRecording[]).map(contentOf));
    return { ...fields, ...(voices.length > 0 && { voices: sounds }) } as Record<string, unknown[]>;
  } finally {
    await form.dispose();
  }
}

async function contentOf(recording: FormRecording): Promise<unknown> {
  if (recording.audio === undefined) return recording;
  const parts: Uint8Array[] = [];
  for await (const part of recording.audio.read()) parts.push(part);
  return Buffer.concat(parts);
}

const bytes = fc.uint8Array({ minLength: 1, maxLength: 60 }).map((values) => Buffer.from(values));
const size = fc.integer({ min: 1, max: 40 });
const field = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.record({ a: fc.array(fc.string()) }, { noNullPrototype: true }),
);

test('JSON gives what was written, however it is cut and spaced', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(bytes, { maxLength: 3 }),
      field,
      size,
      fc.nat(3),
      async (sounds, other, cut, indent) => {
        const body = {
          other: [other],
          none: null,
          voices: sounds.map((sound) => sound.toString('base64')),
          last: 'é "',
        };
        const expected = { other: [other], last: ['é "'], ...(sounds.length > 0 && { voices: sounds }) };
        assert.deepEqual(await read(readJsonForm, JSON.stringify(body, null, indent), cut), expected);
        const listed = { ...body, voices: sounds.map((sound) => sound.toJSON()) };
        assert.deepEqual(await read(readJsonForm, JSON.stringify(listed, null, indent), cut), expected);
      },
    ),
  );
});

test('MessagePack gives what was written, however it is cut', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(bytes, { maxLength: 20 }), field, size, async (sounds, other, cut) => {
      const body = packr.pack({ other, none: null, voices: sounds, first: sounds[0]?.toString('base64') });
      const expected = {
        other: [other].flat(),
        ...(sounds.length > 0 && { voices: sounds, first: [sounds[0]?.toString('base64')] }),
      };
      assert.deepEqual(await read(readMsgpackForm, body, cut), expected);
    }),
  );
});

test('base64 is read in every spelling of it', async () => {
  const sound = Buffer.from([0xfb, 0xef, 0xff, 0, 1]);
  const plain = sound.toString('base64');
  for (const text of [
    plain,
    sound.toString('base64url'),
    `data:audio/wav;base64,${plain}`,
    plain.replace(/..../, '$&\n'),
  ]) {
    for (const cut of [1, 3, 100]) {
      async function* pieces() {
        for (let from = 0; from < text.length; from += cut) yield text.slice(from, from + cut);
      }
      const parts: Buffer[] = [];
      for await (const part of decodedBase64(pieces())) parts.push(part);
      assert.deepEqual(Buffer.concat(parts), sound, text);
    }
  }
  const escaped = `{"voices": "${plain.replaceAll('/', '\\/').replaceAll('+', '\\u002b')}"}`;
  for (const cut of [1, 2, 5, 100])
    assert.deepEqual(await read(readJsonForm, escaped, cut), { voices: [sound] });
});

const BROKEN: Readonly<Record<string, string>> = {
  'nothing at all': '',
  'a list': '[1]',
  'a name without a value': '{"a"}',
  'what ends early': '{"a": "b',
  'a string that ends early in a recording': '{"voices": "AAAA',
  'a list that ends early in a recording': '{"voices": {"data": [1, 2',
  'words among bytes': '{"voices": {"data": [1, two]}}',
  'a comma too many': '{"a": 1,}',
  'something after the end': '{"a": 1} {}',
  'no JSON': 'title=x',
};
for (const [what, body] of Object.entries(BROKEN)) {
  test(`JSON with ${what} is refused`, async () => {
    for (const cut of [1, 100]) await assert.rejects(read(readJsonForm, body, cut), { code: 'invalid_body' });
  });
}

for (const { what, body } of [
  { what: 'more than all files may have', body: { voices: [Buffer.alloc(600), Buffer.alloc(600)] } },
  { what: 'a value longer than any may be', body: { title: 'x'.repeat(70_000) } },
  { what: 'a name longer than any may be', body: { ['x'.repeat(70_000)]: 'x' } },
  { what: 'too many values', body: { tags: Array.from({ length: 300 }, () => 'x') } },
  { what: 'too many files', body: { voices: Array.from({ length: 40 }, () => Buffer.alloc(1)) } },
]) {
  test(`${what} is refused alike in JSON and MessagePack`, async () => {
    const text = JSON.stringify(body, (_, value) =>
      value?.type === 'Buffer' ? Buffer.from(value.data).toString('base64') : value,
    );
    await assert.rejects(read(readJsonForm, text, 1000), { code: 'request_too_large' });
    await assert.rejects(read(readMsgpackForm, packr.pack(body), 1000), { code: 'request_too_large' });
  });
}

test('what is nested without end is refused before it is all there', async () => {
  let taken = 0;
  async function* endless(): AsyncGenerator<Buffer> {
    yield Buffer.from('{"a": ');
    for (;;) {
      taken += 10_000;
      yield Buffer.alloc(10_000, '[');
    }
  }
  const form = new FormBuilder(OPTIONS);
  await assert.rejects(readJsonForm(endless(), form), { code: 'request_too_large' });
  assert.ok(taken < 100_000);
  const nested = Buffer.concat([Buffer.from([0x81, 0xa1, 0x61]), Buffer.alloc(100_000, 0x91)]);
  await assert.rejects(read(readMsgpackForm, nested, 1000), { code: 'request_too_large' });
});
