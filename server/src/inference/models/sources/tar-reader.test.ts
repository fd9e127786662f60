import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeTar } from '../../../../test/support/models/tarball.ts';
import { readTar, type TarEntry } from './tar-reader.ts';

async function* inChunks(bytes: Uint8Array, chunkBytes: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += chunkBytes)
    yield bytes.subarray(start, start + chunkBytes);
}

async function readAll(tar: Uint8Array, chunkBytes = 1000): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  await readTar(inChunks(tar, chunkBytes), (entry) => {
    const content = Buffer.alloc(entry.sizeBytes);
    files.set(entry.path, content);
    return async (chunk, offsetBytes) => content.set(chunk, offsetBytes);
  });
  return files;
}

test('every file is read unchanged, for any division of the stream into chunks', async () => {
  const entry = fc.record({
    path: fc.string({ unit: fc.constantFrom('a', 'b', '/', '.', '-'), minLength: 1, maxLength: 90 }),
    content: fc.uint8Array({ maxLength: 2000 }),
  });
  const entries = fc.uniqueArray(entry, { selector: ({ path }) => path, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(entries, fc.integer({ min: 1, max: 3000 }), async (files, chunkBytes) => {
      const expected = new Map(files.map(({ path, content }) => [path, Buffer.from(content)]));
      assert.deepEqual(await readAll(makeTar(files), chunkBytes), expected);
    }),
    { numRuns: 100 },
  );
});

test('a path in a pax or GNU header replaces the path of the next file only', async () => {
  const content = Buffer.from('content');
  const record = 'path=package/from-pax.bin\n';
  const pax = Buffer.from(`${record.length + 3} ${record}`);
  const files = await readAll(
    makeTar([
      { path: 'PaxHeader', content: pax, type: 'x' },
      { path: 'short', content },
      { path: '././@LongLink', content: Buffer.from('package/long-name.bin\0'), type: 'L' },
      { path: 'short', content },
      { path: 'plain', content },
      { path: 'a-link', content: Buffer.alloc(0), type: '2' },
    ]),
  );
  assert.deepEqual([...files.keys()], ['package/from-pax.bin', 'package/long-name.bin', 'plain']);
});

test('on stop the reading ends and the stream is closed', async () => {
  let wasClosed = false;
  async function* endless() {
    try {
      for (let index = 0; ; index++) {
        const archive = makeTar([{ path: `file-${index}`, content: Buffer.alloc(600) }]);
        yield archive.subarray(0, -1024);
      }
    } finally {
      wasClosed = true;
    }
  }
  const seen: TarEntry[] = [];
  await readTar(endless(), (entry) => {
    seen.push(entry);
    return seen.length === 3 ? 'stop' : undefined;
  });
  assert.equal(seen.length, 3);
  assert.ok(wasClosed);
});

const whole = makeTar([{ path: 'file', content: Buffer.alloc(3000) }]);
const damaged = Buffer.from(whole);
damaged[0] = 0x21;
for (const { what, tar } of [
  { what: 'truncated inside a file', tar: whole.subarray(0, 2000) },
  { what: 'truncated inside a header', tar: whole.subarray(0, 100) },
  { what: 'truncated after a file', tar: whole.subarray(0, 512 + 3072) },
  { what: 'with a changed header', tar: damaged },
  { what: 'that is empty', tar: Buffer.alloc(0) },
]) {
  test(`an archive ${what} is rejected`, async () => {
    await assert.rejects(readAll(tar), { code: 'broken_archive' });
  });
}

test('a header of several megabytes is rejected before it is buffered', async () => {
  const header = makeTar([{ path: 'PaxHeader', content: Buffer.alloc(5 << 20), type: 'x' }]).subarray(0, 512);
  let chunks = 0;
  async function* endless() {
    yield header;
    for (;;) {
      chunks++;
      yield Buffer.alloc(512, 'x');
    }
  }
  await assert.rejects(
    readTar(endless(), () => undefined),
    { code: 'broken_archive' },
  );
  assert.ok(chunks < 100, `${chunks} chunks were read`);
});

test('an error of a sink and an error of the stream are thrown unchanged', async () => {
  const failure = new Error('no space');
  const write = readTar(inChunks(whole, 700), () => () => Promise.reject(failure));
  await assert.rejects(write, (error) => error === failure);
  async function* failing() {
    yield whole.subarray(0, 1000);
    throw failure;
  }
  const read = readTar(failing(), () => async () => {});
  await assert.rejects(read, (error) => error === failure);
});
