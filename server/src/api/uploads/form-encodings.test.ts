import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { Packr } from 'msgpackr';
import { UploadFolder } from '../../infrastructure/files/upload-folder.ts';
import { decodeBase64 } from './base64-decoder.ts';
import { FormBuilder, type FormRecording } from './form-builder.ts';
import { readJsonForm } from './json-form.ts';
import { readMsgpackForm } from './msgpack-form.ts';
import { readMultipartForm } from './multipart-form.ts';

const folder = await mkdtemp(join(tmpdir(), 'mynah-forms-'));
const uploads = await UploadFolder.open(folder);
after(() => rm(folder, { recursive: true }));

const BOUNDARY = 'XbX';
const packr = new Packr({ useRecords: false });
const OPTIONS = { maxBytes: 1000, recordings: ['voices'], files: ['cover'], acceptsBase64: true, uploads };
type Reader = (source: AsyncGenerator<Buffer>, form: FormBuilder) => Promise<void>;
const readMultipart: Reader = (source, form) => readMultipartForm(source, form, BOUNDARY);

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

/** Reads a form, with its recordings as their bytes. */
async function read(reader: Reader, body: Buffer | string, size = 7): Promise<Record<string, unknown[]>> {
  const form = new FormBuilder(OPTIONS);
  try {
    await reader(inChunks(Buffer.from(body), size), form);
    const { voices = [], ...fields } = form.form();
    const recordings = await Promise.all((voices as FormRecording[]).map(contentOf));
    return { ...fields, ...(voices.length > 0 && { voices: recordings }) } as Record<string, unknown[]>;
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

/** A `multipart/form-data` body. The headers of a part are given as they are. */
function multipart(parts: readonly { headers: string; content: Buffer | string }[], end = '--\r\n'): Buffer {
  return Buffer.concat([
    ...parts.flatMap(({ headers, content }) => [
      Buffer.from(`--${BOUNDARY}\r\n${headers}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${BOUNDARY}${end}`),
  ]);
}
const named = (name: string, more = '') => `Content-Disposition: form-data; name="${name}"${more}`;

const bytes = fc.uint8Array({ minLength: 1, maxLength: 60 }).map((values) => Buffer.from(values));
const size = fc.integer({ min: 1, max: 40 });
const field = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.record({ a: fc.array(fc.string()) }, { noNullPrototype: true }),
);

test('JSON is decoded for any chunk size and indentation', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(bytes, { maxLength: 3 }),
      field,
      size,
      fc.nat(3),
      async (recordings, other, chunkSize, indent) => {
        const body = {
          other: [other],
          none: null,
          voices: recordings.map((recording) => recording.toString('base64')),
          last: 'é "',
        };
        const expected = {
          other: [other],
          last: ['é "'],
          ...(recordings.length > 0 && { voices: recordings }),
        };
        assert.deepEqual(await read(readJsonForm, JSON.stringify(body, null, indent), chunkSize), expected);
        const asBuffers = { ...body, voices: recordings.map((recording) => recording.toJSON()) };
        assert.deepEqual(
          await read(readJsonForm, JSON.stringify(asBuffers, null, indent), chunkSize),
          expected,
        );
      },
    ),
  );
});

test('MessagePack is decoded for any chunk size', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(bytes, { maxLength: 20 }),
      field,
      size,
      async (recordings, other, chunkSize) => {
        const first = recordings[0]?.toString('base64');
        const body = packr.pack({ other, none: null, voices: recordings, first });
        const expected = {
          other: [other].flat(),
          ...(recordings.length > 0 && { voices: recordings, first: [first] }),
        };
        assert.deepEqual(await read(readMsgpackForm, body, chunkSize), expected);
      },
    ),
  );
});

/** Content that resembles delimiters, without the delimiter itself. */
const tricky = fc
  .array(fc.constantFrom('\r', '\n', '\r\n', '-', '--', '\r\n-', '\r\n--', '\r\n--X', '\r\n--Xb', 'XbX', 'a'))
  .map((parts) => parts.join(''))
  .filter((text) => !`${text}\r\n--${BOUNDARY}`.slice(0, -1).includes(`\r\n--${BOUNDARY}`))
  .map((text) => Buffer.from(text));

test('multipart is decoded for any chunk size, also content that resembles a delimiter', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(tricky, bytes), { maxLength: 5 }),
      fc.string(),
      size,
      async (recordings, title, chunkSize) => {
        // Content must not contain a delimiter, which may share the line end of the headers before it.
        const clean = recordings.filter(
          (content) => !`\r\n${content.toString('latin1')}`.includes(`\r\n--${BOUNDARY}`),
        );
        const body = multipart([
          ...clean.map((content) => ({ headers: named('voices', '; filename="a.wav"'), content })),
          { headers: named('title'), content: title.replaceAll(`--${BOUNDARY}`, '') },
        ]);
        const expected = {
          ...(clean.length > 0 && { voices: clean }),
          title: [title.replaceAll(`--${BOUNDARY}`, '')],
        };
        assert.deepEqual(await read(readMultipart, body, chunkSize), expected);
      },
    ),
  );
});

test('a multipart body of Node is decoded, with names that need quoting', async () => {
  const data = new FormData();
  data.append('ti"t\\le', 'é');
  data.append('voices[]', new Blob([Buffer.from([1, 2])]), 'C:\\folder\\x "y".wav');
  data.append('cover', new Blob([Buffer.from([3])]), 'ü.png');
  const response = new Response(data);
  const boundary = /boundary=(.*)$/.exec(response.headers.get('content-type') ?? '')?.[1] ?? '';
  const body = Buffer.from(await response.arrayBuffer());
  const form = new FormBuilder(OPTIONS);
  await readMultipartForm(inChunks(body, 5), form, boundary);
  const { voices, cover, ...fields } = form.form();
  assert.deepEqual(Object.values(fields), [['é']]);
  assert.deepEqual(await contentOf(voices?.[0] as FormRecording), Buffer.from([1, 2]));
  assert.deepEqual(cover, [{ filename: 'ü.png', bytes: Buffer.from([3]) }]);
  await form.dispose();
});

for (const { what, body, expected } of [
  { what: 'an empty body', body: '', expected: {} },
  { what: 'no parts', body: multipart([]), expected: {} },
  {
    what: 'a preamble and an epilogue',
    body: Buffer.concat([
      Buffer.from('preamble\r\n'),
      multipart([{ headers: named('a'), content: '1' }]),
      Buffer.from('epilogue'),
    ]),
    expected: { a: ['1'] },
  },
  {
    what: 'padding after the delimiter, folded headers and unquoted parameters',
    body: `--${BOUNDARY} \t\r\ncontent-disposition: form-data;\r\n name=a\r\n\r\n1\r\n--${BOUNDARY}--`,
    expected: { a: ['1'] },
  },
  {
    what: 'empty content that shares its line end with the delimiter',
    body: `--${BOUNDARY}\r\n${named('a')}\r\n\r\n--${BOUNDARY}--`,
    expected: { a: [''] },
  },
  {
    what: 'fields in JSON and in another character set',
    body: multipart([
      { headers: `${named('json')}\r\nContent-Type: application/json`, content: '{"x": [1]}' },
      {
        headers: `${named('latin')}\r\nContent-Type: text/plain; charset=iso-8859-1`,
        content: Buffer.from([0xe9]),
      },
    ]),
    expected: { json: [{ x: [1] }], latin: ['é'] },
  },
  {
    what: 'a recording without a file name',
    body: multipart([{ headers: named('voices'), content: Buffer.from([0xff, 0]) }]),
    expected: { voices: [Buffer.from([0xff, 0])] },
  },
  {
    what: 'a file that the form does not declare',
    body: multipart([{ headers: named('x', '; filename="x"'), content: 'x' }]),
    expected: {},
  },
]) {
  test(`multipart with ${what} is accepted`, async () => {
    for (const chunkSize of [1, 3, 1000])
      assert.deepEqual(await read(readMultipart, body, chunkSize), expected);
  });
}

const MALFORMED_MULTIPART: Readonly<Record<string, Buffer | string>> = {
  'no delimiter': 'nonsense',
  'a delimiter with a suffix after a recording': `--XbX\r\n${named('voices')}\r\n\r\nabc\r\n--XbXx\r\nrest\r\n--XbX--\r\n`,
  'a delimiter with a suffix at the end': `--XbX\r\n${named('voices')}\r\n\r\nabc\r\n--XbXx`,
  'a part without a name': multipart([
    { headers: 'Content-Disposition: form-data; filename="a"', content: 'a' },
  ]),
  'a part without headers': multipart([{ headers: 'X-Other: 1', content: 'a' }]),
  'no closing delimiter': `--XbX\r\n${named('voices')}\r\n\r\nabc`,
  'an end after a delimiter': `--XbX\r\n${named('voices')}\r\n\r\nabc\r\n--XbX`,
  'headers without an end': `--XbX\r\n${named('a', `; x="${'x'.repeat(40_000)}"`)}`,
  'a reserved name': multipart([{ headers: named('__proto__'), content: 'a' }]),
  'invalid JSON in a field': multipart([
    { headers: `${named('a')}\r\nContent-Type: application/json`, content: '{' },
  ]),
};
for (const [what, body] of Object.entries(MALFORMED_MULTIPART)) {
  test(`multipart with ${what} is rejected, and its recordings are removed`, async () => {
    for (const chunkSize of [1, 1000])
      await assert.rejects(read(readMultipart, body, chunkSize), { code: 'invalid_body' });
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    assert.deepEqual(
      files.filter((entry) => entry.isFile()),
      [],
    );
  });
}

test('base64 is decoded in all its variants', async () => {
  const recording = Buffer.from([0xfb, 0xef, 0xff, 0, 1]);
  const plain = recording.toString('base64');
  for (const text of [
    plain,
    recording.toString('base64url'),
    `data:audio/wav;base64,${plain}`,
    plain.replace(/..../, '$&\n'),
  ]) {
    for (const chunkSize of [1, 3, 100]) {
      async function* chunks() {
        for (let from = 0; from < text.length; from += chunkSize) yield text.slice(from, from + chunkSize);
      }
      const parts: Buffer[] = [];
      for await (const part of decodeBase64(chunks())) parts.push(part);
      assert.deepEqual(Buffer.concat(parts), recording, text);
    }
  }
  const escaped = `{"voices": "${plain.replaceAll('/', '\\/').replaceAll('+', '\\u002b')}"}`;
  for (const chunkSize of [1, 2, 5, 100])
    assert.deepEqual(await read(readJsonForm, escaped, chunkSize), { voices: [recording] });
});

const MALFORMED_JSON: Readonly<Record<string, string>> = {
  'an empty body': '',
  'an array': '[1]',
  'a name without a value': '{"a"}',
  'an early end': '{"a": "b',
  'a string that ends early in a recording': '{"voices": "AAAA',
  'an array that ends early in a recording': '{"voices": {"data": [1, 2',
  'an unknown escape in a recording': '{"voices": "AA\\xAA"}',
  'an incomplete code in a recording': '{"voices": "AA\\u00"}',
  'an escape at the end of the body': '{"voices": "AA\\',
  'words in an array of bytes': '{"voices": {"data": [1, two]}}',
  'a trailing comma': '{"a": 1,}',
  'a second value': '{"a": 1} {}',
  'no JSON': 'title=x',
};
for (const [what, body] of Object.entries(MALFORMED_JSON)) {
  test(`JSON with ${what} is rejected`, async () => {
    for (const chunkSize of [1, 100])
      await assert.rejects(read(readJsonForm, body, chunkSize), { code: 'invalid_body' });
  });
}

for (const { what, body } of [
  { what: 'files above the limit of all files', body: { voices: [Buffer.alloc(600), Buffer.alloc(600)] } },
  { what: 'a value above the size limit', body: { title: 'x'.repeat(70_000) } },
  { what: 'a name above the size limit', body: { ['x'.repeat(70_000)]: 'x' } },
  { what: 'too many values', body: { tags: Array.from({ length: 300 }, () => 'x') } },
  {
    what: 'values above the limit of all values',
    body: { tags: Array.from({ length: 40 }, () => 'x'.repeat(60_000)) },
  },
  { what: 'too many files', body: { voices: Array.from({ length: 40 }, () => Buffer.alloc(1)) } },
]) {
  test(`a form with ${what} is rejected in every encoding`, async () => {
    const code = 'request_too_large';
    const text = JSON.stringify(body, (_, value) =>
      value?.type === 'Buffer' ? Buffer.from(value.data).toString('base64') : value,
    );
    await assert.rejects(read(readJsonForm, text, 1000), { code });
    await assert.rejects(read(readMsgpackForm, packr.pack(body), 1000), { code });
    const parts = Object.entries(body).flatMap(([name, values]) =>
      [values].flat().map((content: Buffer | string) => ({ headers: named(name), content })),
    );
    const isLongName = what.startsWith('a name');
    await assert.rejects(read(readMultipart, multipart(parts), 1000), {
      code: isLongName ? 'invalid_body' : code,
    });
  });
}

test('unlimited nesting is rejected before the body has been read', async () => {
  let readBytes = 0;
  async function* endless(): AsyncGenerator<Buffer> {
    yield Buffer.from('{"a": ');
    for (;;) {
      readBytes += 10_000;
      yield Buffer.alloc(10_000, '[');
    }
  }
  const form = new FormBuilder(OPTIONS);
  await assert.rejects(readJsonForm(endless(), form), { code: 'request_too_large' });
  assert.ok(readBytes < 100_000);
  const nested = Buffer.concat([Buffer.from([0x81, 0xa1, 0x61]), Buffer.alloc(100_000, 0x91)]);
  await assert.rejects(read(readMsgpackForm, nested, 1000), { code: 'request_too_large' });
});

/** The number of promises that a call creates: each is a step of the event loop without a turn for other requests. */
async function countSteps(work: () => Promise<unknown>): Promise<number> {
  let steps = 0;
  const hook = createHook({
    init: (_, type) => {
      if (type === 'PROMISE') steps++;
    },
  }).enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  return steps;
}

const CHUNK_BYTES = 64 * 1024;
for (const { what, reader, body } of [
  {
    what: 'a recording in base64 whose characters are all escaped',
    reader: readJsonForm,
    body: Buffer.from(`{"voices": "${'\\u0041'.repeat(800)}${'\\n'.repeat(100_000)}"}`),
  },
  {
    what: 'a value of MessagePack that nests tens of thousands of values',
    reader: readMsgpackForm,
    body: packr.pack({ title: Array.from({ length: 3 }, () => Array.from({ length: 60_000 }, () => 0)) }),
  },
]) {
  test(`${what} is read in a number of steps that depends on its chunks, not on its characters or values`, async () => {
    const steps = await countSteps(() => read(reader, body, CHUNK_BYTES));
    assert.ok(steps < 1000, `${steps} steps for ${body.length} bytes`);
  });
}

test('names and items without a value are limited in number', async () => {
  const code = 'request_too_large';
  const items = Array.from({ length: 2000 }, () => null);
  const names = Object.fromEntries(items.map((_, index) => [`name${index}`, null]));
  for (const body of [{ tags: items }, names]) {
    await assert.rejects(read(readJsonForm, JSON.stringify(body), CHUNK_BYTES), { code });
    await assert.rejects(read(readMsgpackForm, packr.pack(body), CHUNK_BYTES), { code });
  }
  const manyNames = `{"voices": {${Array.from({ length: 2000 }, () => '"a":0').join()}}}`;
  await assert.rejects(read(readJsonForm, manyNames, CHUNK_BYTES), { code });
});
