import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { FIRST_ACCOUNT_ID } from '../../src/domain/accounts/keys/first-key.ts';
import { RECORDING } from '../support/calls/voice-forms.ts';
import { buildEpub } from '../support/documents/epub-writer.ts';
import { readSnippets } from '../support/documents/readme-snippets.ts';
import { startTestServer, type TestServer } from '../support/servers/http-server.ts';
import { skipWithout } from '../support/servers/missing-program.ts';
import { RandomVoiceMaker } from '../support/workers/random-voice-maker.ts';
import { RecordingCloner } from '../support/workers/recording-cloner.ts';
import { installThirdPartyPython } from './python.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const CLI = fileURLToPath(new URL('../../bundle/cli.js', import.meta.url));
const GUIDES = execFileSync('git', ['ls-files', 'README.md', 'docs/guides/*.md'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .trim()
  .split('\n');
/** Guides for operators, whose commands need root, containers or a cluster: deploy/check runs them. */
const OPERATOR_GUIDES = ['deploy', 'scaling', 'upgrade'].map((name) => `docs/guides/${name}.md`);

/** Shell snippets that are not run here, with what covers them. */
const RUN_ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  [/^\d+ \d+ \* \* \*/m, 'a line of a crontab'],
  [
    /^([A-Z_]+=\S+ )*npm (start|run package)\b|^mynah (serve|mcp|wyoming)\b/m,
    'servers: scripts/newcomer.mjs, cli/mcp.test',
  ],
  [/\bmynah (-- )?restore\b/, 'needs a stopped server: scripts/newcomer.mjs'],
  [/\bmodels (pull|import)\b/, 'fetches models: models.test'],
  [/"mix":/, 'needs voices of the 904-speaker engine: http/voice-mixing.test'],
  [/\bwatermark detect\b/, 'needs real speech: engines/shared-server/watermark.test'],
];

const CAPTIONS =
  '1\n00:00:00,000 --> 00:00:04,000\nANN: The ships leave the harbour.\n\n2\n00:00:05,000 --> 00:00:09,000\nBob Lee: They return.\n';
const SHELL = `set -euo pipefail
trap 'echo "failed: $BASH_COMMAND" >&2' ERR
`;

let server: TestServer;
let folder: string;
before(async () => {
  server = await startTestServer({
    voices: { cloner: new RecordingCloner() },
    maker: new RandomVoiceMaker(),
  });
  folder = await mkdtemp(join(tmpdir(), 'mynah-snippets-'));
  await mkdir(join(folder, 'data'));
  await mkdir(join(folder, 'backups'));
  await writeFile(join(folder, 'data/first-key'), server.key);
  // The scripted engines transcribe what a file says after `audio:`, and clone every recording.
  for (const name of ['meeting.mp3', 'talk.mp3', 'two-hours.mp3'])
    await writeFile(join(folder, name), 'audio:The ships leave the harbour.');
  await writeFile(join(folder, 'ada.wav'), RECORDING);
  await writeFile(join(folder, 'film.srt'), CAPTIONS);
  await writeFile(
    join(folder, 'book.epub'),
    buildEpub({
      title: 'Book',
      chapters: [
        { title: 'One', paragraphs: ['It was early.'] },
        { title: 'Two', paragraphs: ['It was late.'] },
      ],
    }),
  );
  const programs = {
    // A player needs a sound device.
    ffplay: 'exec cat > played.wav',
    mynah: `exec '${process.execPath}' '${CLI}' "$@"`,
    npm: 'shift; [ "$1" = -s ] && shift; shift 2; exec mynah "$@"',
  };
  for (const [name, script] of Object.entries(programs))
    await writeFile(join(folder, name), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
});
after(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

function environment() {
  return {
    ...process.env,
    PATH: `${folder}:${process.env.PATH}`,
    KEY: server.key,
    FISH_API_KEY: server.key,
    MYNAH_API_KEY: server.key,
    MYNAH_BASE_URL: server.url,
    MYNAH_DATA: server.dataFolder,
  };
}

/** A snippet as a reader runs it on this machine: with this server, a folder for backups, and a key to change. */
async function adapt(snippet: string): Promise<string> {
  const { prefix } = await server.keys.create({ accountId: FIRST_ACCOUNT_ID, name: 'snippet' });
  return snippet
    .replaceAll('http://127.0.0.1:8080', server.url)
    .replaceAll('/backups', join(folder, 'backups'))
    .replaceAll(/\bPREFIX\b|mynah_ab12cd34ef/g, prefix);
}

test('every shell snippet of the guides runs as it is written', async (t) => {
  if (
    await run('jq', ['--version']).then(
      () => false,
      () => true,
    )
  )
    return skipWithout('clients', t, 'jq is not installed.');
  let count = 0;
  for (const guide of GUIDES.filter((path) => !OPERATOR_GUIDES.includes(path))) {
    const snippets = await readSnippets(join(ROOT, guide), 'sh');
    const runnable = snippets.filter((snippet) => !RUN_ELSEWHERE.some(([pattern]) => pattern.test(snippet)));
    if (runnable.length === 0) continue;
    // One shell for a guide: later snippets use variables and files of earlier ones.
    const session = (await Promise.all(runnable.map(adapt))).join('\n');
    await run('bash', ['-c', SHELL + session], {
      cwd: folder,
      env: environment(),
      timeout: 300_000,
      maxBuffer: 64 << 20,
    }).catch((error: Error & { stderr?: string }) => assert.fail(`${guide}: ${error.stderr}`));
    count += runnable.length;
  }
  assert.ok(count >= 25, `${count} snippets`);
  const files = await readdir(folder);
  for (const name of [
    'hello.mp3',
    'hello.opus',
    'played.wav',
    'talk.srt',
    'design.json',
    'book.mp3',
    'film.wav',
    'statement.html',
  ])
    assert.ok(files.includes(name), name);
});

test('every TypeScript snippet of the guides runs', async () => {
  let count = 0;
  for (const guide of GUIDES) {
    for (const [index, snippet] of (await readSnippets(join(ROOT, guide), 'ts')).entries()) {
      // Installed on demand; clients/elevenlabs.ts calls it.
      if (snippet.includes('@elevenlabs/')) continue;
      // Beside the tests, so that packages are found.
      const path = fileURLToPath(new URL(`guide-snippet-${process.pid}-${index}.mjs`, import.meta.url));
      await writeFile(path, await adapt(snippet));
      try {
        await run(process.execPath, [path], { cwd: folder, env: environment(), timeout: 120_000 });
      } finally {
        await rm(path);
      }
      count++;
    }
  }
  assert.equal(count, 3);
});

test('every Python snippet of the guides runs', async (t) => {
  const python = await installThirdPartyPython(t);
  if (python === undefined) return;
  let count = 0;
  for (const guide of GUIDES) {
    for (const snippet of await readSnippets(join(ROOT, guide), 'python')) {
      await run(python, ['-c', await adapt(snippet)], { cwd: folder, env: environment(), timeout: 120_000 });
      count++;
    }
  }
  assert.equal(count, 2);
});
