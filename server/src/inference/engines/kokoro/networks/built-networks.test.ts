import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PACKAGE_ROOT } from '../../../../config/package-info.ts';
import { buildNetworks } from './built-networks.ts';

test('the networks beside the bundle are those that the assets give', async () => {
  const networks = await buildNetworks((name) => fileURLToPath(new URL(`assets/${name}`, PACKAGE_ROOT)));
  assert.ok(networks.size > 0);
  for (const [name, content] of networks) {
    assert.deepEqual(
      await readFile(new URL(`dist/bundle/${name}`, PACKAGE_ROOT)),
      Buffer.from(content),
      name,
    );
  }
});
