import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';

const SCRIPT = 'console.log("console");'.repeat(20);
let folder: string;
let server: TestServer;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mynah-console-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Mynah</title>');
  await writeFile(join(folder, 'assets/app-abc123.js'), SCRIPT);
  await writeFile(join(folder, 'assets/app-abc123.js.br'), brotliCompressSync(SCRIPT));
  await writeFile(join(folder, 'assets/app-abc123.js.gz'), gzipSync(SCRIPT));
  await writeFile(join(folder, 'secret.txt'), 'not a file of the console');
  server = await startTestServer({ consoleFolder: folder });
});
after(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

/** The response without decompression, which `fetch` would do. */
function getRaw(path: string, encodings: string): Promise<{ status: number; encoding: string | undefined }> {
  return new Promise((resolve, reject) => {
    request(server.url + path, { headers: { 'accept-encoding': encodings } }, (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, encoding: response.headers['content-encoding'] });
    })
      .on('error', reject)
      .end();
  });
}

test('every page is the document, with a policy that allows no inline code', async () => {
  for (const path of ['/', '/voices', '/voices/abc', '/admin/health', '/login']) {
    const response = await fetch(server.url + path);
    assert.equal(response.status, 200, path);
    assert.match(response.headers.get('content-type')!, /^text\/html/);
    assert.equal(response.headers.get('cache-control'), 'no-cache');
    const policy = response.headers.get('content-security-policy')!;
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.match(policy, /connect-src 'self';/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    assert.match(await response.text(), /<title>Mynah/);
  }
});

test('assets are immutable and served compressed to clients that accept it', async () => {
  const path = '/assets/app-abc123.js';
  const response = await fetch(server.url + path);
  assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.match(response.headers.get('content-type')!, /^text\/javascript/);
  assert.equal(await response.text(), SCRIPT);
  assert.equal((await getRaw(path, 'gzip, br')).encoding, 'br');
  assert.equal((await getRaw(path, 'gzip, br;q=0')).encoding, 'gzip');
  assert.equal((await getRaw(path, 'identity')).encoding, undefined);
});

test('an unchanged document is not sent again', async () => {
  const { headers } = await fetch(server.url);
  const again = await fetch(server.url, { headers: { 'if-none-match': headers.get('etag')! } });
  assert.equal(again.status, 304);
});

test('files of other types, and paths outside the folder, are not served', async () => {
  for (const path of ['/secret.txt', '/assets/..%2findex.html', '/assets/%2e%2e/secret.txt', '/assets']) {
    assert.equal((await fetch(server.url + path)).status, 404, path);
  }
});

test('an unknown asset is a JSON error for a script, and the document for a browser that opens it', async () => {
  const response = await fetch(`${server.url}/assets/app-old.js`);
  assert.equal(response.status, 404);
  assert.equal(response.headers.get('x-fish-error-code'), 'not_found');
  const page = await fetch(`${server.url}/assets/app-old.js`, { headers: AS_BROWSER });
  assert.equal(page.status, 404);
  assert.match(await page.text(), /<title>Mynah/);
});

test('a file that the folder no longer has is served as it was', async () => {
  await (await fetch(server.url)).text();
  const path = join(folder, 'assets/app-abc123.js');
  await rm(path);
  try {
    assert.equal(await (await fetch(`${server.url}/assets/app-abc123.js`)).text(), SCRIPT);
  } finally {
    await writeFile(path, SCRIPT);
  }
});

const AS_BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test('the API and its reference keep working, and unknown paths are JSON errors', async () => {
  assert.equal((await fetch(`${server.url}/docs`)).status, 200);
  assert.equal((await fetch(`${server.url}/openapi.json`)).status, 200);
  assert.equal((await server.call('/model')).status, 200);
  const requests = [
    fetch(`${server.url}/nothing`),
    fetch(`${server.url}/v1/nothing`, { headers: AS_BROWSER }),
    fetch(`${server.url}/nothing`, { method: 'POST', headers: AS_BROWSER }),
  ];
  for (const response of await Promise.all(requests)) {
    assert.equal(response.status, 404);
    assert.equal(response.headers.get('x-fish-error-code'), 'not_found');
  }
});

test('a browser on an unknown path gets the document with status 404 and the same policy', async () => {
  const page = await fetch(`${server.url}/voices`);
  const unknown = await fetch(`${server.url}/nowhere/at/all`, { headers: AS_BROWSER });
  assert.equal(unknown.status, 404);
  assert.match(await unknown.text(), /<title>Mynah/);
  for (const name of ['content-type', 'content-security-policy', 'cache-control']) {
    assert.equal(unknown.headers.get(name), page.headers.get(name), name);
  }
});

test('without a built console, or with the console off, / leads to the API reference', async () => {
  const off = await startTestServer({ consoleFolder: folder, config: { console: false } });
  const missing = await startTestServer();
  try {
    for (const { url } of [off, missing]) {
      const response = await fetch(url, { redirect: 'manual' });
      assert.equal(response.status, 302);
      assert.equal(response.headers.get('location'), '/docs');
      const page = await fetch(`${url}/voices`, { headers: AS_BROWSER });
      assert.equal(page.headers.get('x-fish-error-code'), 'not_found');
    }
  } finally {
    await off.close();
    await missing.close();
  }
});
