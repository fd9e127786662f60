import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readSnippets } from '../../support/documents/readme-snippets.ts';
import { useRealServer } from '../../support/servers/shared-real-server.ts';

const README = fileURLToPath(new URL('../../../../../sdk/typescript/README.md', import.meta.url));
const run = promisify(execFile);

const server = useRealServer();

test('every snippet of the TypeScript library’s README runs', async (t) => {
  // Inside the package, so that `mynah` is found as a user's program finds it.
  const folder = await mkdtemp(fileURLToPath(new URL('snippets-', import.meta.url)));
  t.after(() => rm(folder, { recursive: true }));
  const env = { ...process.env, MYNAH_API_KEY: server.key, MYNAH_BASE_URL: server.url };
  const snippets = await readSnippets(README, 'ts');
  assert.ok(snippets.length >= 5);
  for (const [index, snippet] of snippets.entries()) {
    const path = join(folder, `snippet-${index}.mjs`);
    await writeFile(path, snippet.replaceAll('http://127.0.0.1:8080', server.url));
    await run(process.execPath, [path], { cwd: folder, env, timeout: 300_000 });
  }
  for (const file of ['hello.mp3', 'live.mp3']) assert.ok((await stat(join(folder, file))).size > 1000, file);
});
