import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Packr } from 'msgpackr';
import { parseResidentBytes } from '../../bench/processes/processes.ts';
import { encodedFile } from '../support/audio/encoded-files.ts';
import { type Fields, FORM_ENCODINGS, RECORDING } from '../support/calls/voice-forms.ts';
import { type RealServer, startRealServer, until } from '../support/servers/real-server.ts';

const MEBIBYTE = 2 ** 20;
/** What a form of any size may take in the process that receives it. */
const GROWTH_MAX_BYTES = 150 * MEBIBYTE;
const UPLOAD_MAX_BYTES = 48 * MEBIBYTE;

let server: RealServer;
before(async () => {
  const limits = {
    MYNAH_VOICE_UPLOAD_MAX_BYTES: String(UPLOAD_MAX_BYTES),
    MYNAH_VOICE_CLIP_MAX_SECONDS: '10',
  };
  server = await startRealServer({ env: limits });
});
after(() => server.close());

const packr = new Packr({ useRecords: false });

async function send(
  encoding: string,
  fields: Fields,
): Promise<{ status: number; code: string | null; message: string }> {
  const { type, body } = FORM_ENCODINGS[encoding]!(fields);
  const response = await fetch(`${server.url}/model`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, ...(type !== undefined && { 'content-type': type }) },
    body,
  });
  const { message = '' } = (await response.json()) as { readonly message?: string };
  await untilGone();
  return { status: response.status, code: response.headers.get('x-fish-error-code'), message };
}

async function untilGone(): Promise<void> {
  const root = join(server.dataFolder, 'uploads');
  await until('nothing of it is left', async () => {
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    return entries.every((entry) => !entry.isFile());
  });
}

const silence = new Float32Array(20 * 16_000);
const many = (count: number, value: string | Buffer) => Array.from({ length: count }, () => value);
const CASES: readonly (readonly [
  name: string,
  fields: () => Promise<Fields>,
  status: number,
  code: string,
])[] = [
  ['no recording', async () => ({ title: 'x' }), 422, 'invalid_parameter'],
  ['no title', async () => ({ voices: RECORDING }), 422, 'invalid_parameter'],
  [
    'a page of text',
    async () => ({ title: 'x', voices: Buffer.from('no sound. '.repeat(99)) }),
    400,
    'invalid_audio',
  ],
  ['an empty file', async () => ({ title: 'x', voices: Buffer.alloc(0) }), 400, 'invalid_audio'],
  [
    'a bomb in gzip',
    async () => ({ title: 'x', voices: gzipSync(new Uint8Array(64 * MEBIBYTE)) }),
    400,
    'invalid_audio',
  ],
  [
    'a few kilobytes of FLAC that are longer than is allowed',
    async () => ({ title: 'x', voices: Buffer.from(await encodedFile('flac', silence, 16_000)) }),
    400,
    'audio_too_long',
  ],
  [
    '21 recordings',
    async () => ({ title: 'x', voices: many(21, RECORDING.subarray(0, 999)) }),
    422,
    'invalid_parameter',
  ],
  [
    '40 recordings',
    async () => ({ title: 'x', voices: many(40, RECORDING.subarray(0, 999)) }),
    413,
    'request_too_large',
  ],
  [
    '300 tags',
    async () => ({ title: 'x', voices: RECORDING, tags: many(300, 'x') }),
    413,
    'request_too_large',
  ],
  ['a long title', async () => ({ title: 'x'.repeat(500), voices: RECORDING }), 422, 'invalid_parameter'],
  [
    'a very long title',
    async () => ({ title: 'x'.repeat(70_000), voices: RECORDING }),
    413,
    'request_too_large',
  ],
  [
    'a cover that is none',
    async () => ({ title: 'x', voices: RECORDING, cover_image: RECORDING }),
    422,
    'invalid_parameter',
  ],
  [
    'a cover of 9 MB',
    async () => ({ title: 'x', voices: RECORDING, cover_image: Buffer.alloc(9_000_000) }),
    413,
    'request_too_large',
  ],
  [
    'a field that nobody knows',
    async () => ({ extra: 'x'.repeat(1000), voices: RECORDING }),
    422,
    'invalid_parameter',
  ],
];
for (const [name, make, status, code] of CASES) {
  test(`${name}: ${code}, in the same words however the form is written`, async () => {
    const fields = await make();
    const answers = [];
    for (const encoding of Object.keys(FORM_ENCODINGS)) answers.push(await send(encoding, fields));
    for (const answer of answers) assert.deepEqual(answer, { ...answers[0], status, code });
  });
}

/** Sends a body without ever holding it, and tells how far the server grew. */
async function grow(
  type: string,
  parts: () => Generator<Buffer>,
): Promise<{ status: number; code: string; grown: number }> {
  const idleBytes = await residentBytes();
  let mostBytes = idleBytes;
  const looking = setInterval(async () => {
    mostBytes = Math.max(mostBytes, await residentBytes());
  }, 20);
  const upload = request(`${server.url}/model`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': type, 'transfer-encoding': 'chunked' },
  });
  const answered = new Promise<{ status: number; code: string }>((resolve, reject) => {
    upload.on('response', (response) => {
      response.resume();
      resolve({ status: response.statusCode!, code: String(response.headers['x-fish-error-code']) });
    });
    upload.on('error', reject);
  });
  let isAnswered = false;
  answered
    .finally(() => {
      isAnswered = true;
    })
    .catch(() => {});
  for (const part of parts()) {
    if (isAnswered) break;
    if (!upload.write(part))
      await Promise.race([answered, new Promise((resolve) => upload.once('drain', resolve))]);
  }
  upload.end();
  const answer = await answered;
  clearInterval(looking);
  await untilGone();
  return { ...answer, grown: mostBytes - idleBytes };
}

function* repeated(start: Buffer, part: Buffer, count: number, end: Buffer): Generator<Buffer> {
  yield start;
  for (let i = 0; i < count; i++) yield part;
  yield end;
}
const text = (value: string) => Buffer.from(value);
const LARGE: Readonly<Record<string, readonly [type: string, parts: () => Generator<Buffer>, code: string]>> =
  {
    '45 MB of base64': [
      'application/json',
      () => repeated(text('{"title":"x","voices":["'), Buffer.alloc(MEBIBYTE, 'A'), 60, text('"]}')),
      'invalid_audio',
    ],
    'more base64 than may be': [
      'application/json',
      () => repeated(text('{"title":"x","voices":["'), Buffer.alloc(MEBIBYTE, 'A'), 80, text('"]}')),
      'request_too_large',
    ],
    // An array of 20 million numbers would take 160 MB.
    '20 MB as a list of numbers': [
      'application/json',
      () =>
        repeated(
          text('{"title":"x","voices":[{"type":"Buffer","data":[0'),
          Buffer.alloc(MEBIBYTE, ',0'),
          40,
          text(']}]}'),
        ),
      'invalid_audio',
    ],
    '45 MB of MessagePack': [
      'application/msgpack',
      () => {
        const size = Buffer.alloc(5, 0xc6);
        size.writeUInt32BE(45 * MEBIBYTE, 1);
        const start = Buffer.concat([packr.pack({ title: 'x', voices: 0 }).subarray(0, -1), size]);
        return repeated(start, Buffer.alloc(MEBIBYTE), 45, Buffer.alloc(0));
      },
      'invalid_audio',
    ],
    'brackets without end': [
      'application/json',
      () => repeated(text('{"title":'), Buffer.alloc(MEBIBYTE, '['), 60, text('')),
      'request_too_large',
    ],
  };
for (const [name, [type, parts, code]] of Object.entries(LARGE)) {
  test(`${name} do not go through memory`, async () => {
    const answer = await grow(type, parts);
    assert.equal(answer.code, code);
    assert.ok(answer.grown < GROWTH_MAX_BYTES, `${answer.grown / MEBIBYTE} MiB`);
  });
}

async function residentBytes(): Promise<number> {
  return parseResidentBytes(await readFile(`/proc/${server.process.pid}/status`, 'utf8'));
}
