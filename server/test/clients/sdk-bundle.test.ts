import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bundle } from '../support/documents/sdk-bundle.ts';

test('the whole library is at most 15 kB gzipped', async () => {
  const { code, gzippedBytes } = await bundle(
    "export * from 'mynah'; export * as fish from 'mynah/fish-audio';",
  );
  assert.ok(gzippedBytes <= 15_000, `${gzippedBytes} bytes`);
  assert.match(code, /v1\/tts/);
});

test('a bundle holds only what a program uses of the library', async () => {
  assert.equal((await bundle("import { Mynah } from 'mynah';")).code, '');
  const errors = await bundle("import { ApiError } from 'mynah'; console.log(ApiError);");
  assert.ok(errors.code.length < 1000, `${errors.code.length} characters`);
  const client = await bundle("import { Mynah } from 'mynah'; console.log(Mynah);");
  assert.doesNotMatch(client.code, /FishAudio|MediaSource/);
});
