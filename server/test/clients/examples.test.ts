import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sniffAudio } from '../../src/audio/sniff.ts';
import { findBrowser, startBrowser } from '../support/browser.ts';
import { skipWithout } from '../support/missing-program.ts';
import { type RealServer, startRealServer, until } from '../support/real-server.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const EXAMPLES = join(ROOT, 'examples/dist');
const run = promisify(execFile);

let server: RealServer;
let folder: string;
let pages: { readonly origin: string; close(): void };
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mynah-examples-'));
  pages = await serveRepository();
  server = await startRealServer({ env: { MYNAH_CORS_ORIGINS: pages.origin } });
});
after(async () => {
  await server.close();
  pages.close();
  await rm(folder, { recursive: true });
});

const environment = () => ({ ...process.env, MYNAH_API_KEY: server.key, MYNAH_BASE_URL: server.url });

/** Runs an example to its end and gives what it prints. */
async function runExample(name: string, ...args: string[]): Promise<string> {
  const options = { cwd: folder, env: environment(), timeout: 300_000 };
  const { stdout } = await run(process.execPath, [join(EXAMPLES, `${name}.js`), ...args], options);
  return stdout;
}

/** Speech of the server in a file, by its name's format. */
async function speakTo(name: string, text: string, options: object = {}): Promise<string> {
  const path = join(folder, name);
  const response = await server.speak({ text, format: extname(name).slice(1), ...options });
  await writeFile(path, Buffer.from(await response.arrayBuffer()));
  return path;
}

test('first-speech writes a file', async () => {
  await runExample('first-speech');
  assert.equal(sniffAudio(await readFile(join(folder, 'first-speech.mp3'))), 'mp3');
});

test('live-agent hears a question and answers it aloud', async () => {
  const question = await speakTo('question.pcm', 'What is the weather like today?', { sample_rate: 16_000 });
  const agent = spawn(process.execPath, [join(EXAMPLES, 'live-agent.js')], { env: environment() });
  createReadStream(question).pipe(agent.stdin);
  const [answer, told] = await Promise.all([buffer(agent.stdout), buffer(agent.stderr)]);
  assert.match(told.toString(), /^> what is the weather like today/i);
  assert.ok(answer.length > 2 * 24_000, `${answer.length} bytes of answer`);
});

test('subtitles writes captions for the sound of a film', async () => {
  const sound = await speakTo('sound.wav', 'The old lighthouse stood on the cliff.');
  const film = join(folder, 'film.mkv');
  const picture = ['-f', 'lavfi', '-i', 'color=black:size=64x64:rate=5', '-i', sound, '-shortest', film];
  const hasFfmpeg = await run('ffmpeg', ['-v', 'error', ...picture]).then(
    () => true,
    () => false,
  );
  // Without ffmpeg there is no film to be made, but a recording will do.
  const printed = await runExample('subtitles', hasFfmpeg ? film : sound);
  assert.match(await readFile(printed.trim(), 'utf8'), /^1\n00:00:00,\d{3} --> .*lighthouse stood/s);
});

test('audiobook reads each chapter into a file, with a playlist', async () => {
  const book = join(folder, 'book.txt');
  await writeFile(book, '# The Start\n\nIt was early.\n\n# The End!\n\nThen it was late.\n');
  await runExample('audiobook', book, 'bf_emma');
  const playlist = await readFile(join(folder, 'book/book.m3u8'), 'utf8');
  const names = ['01-the-start.mp3', '02-the-end.mp3'];
  assert.deepEqual(
    playlist.split('\n').filter((line) => line.endsWith('.mp3')),
    names,
  );
  for (const name of names) assert.equal(sniffAudio(await readFile(join(folder, 'book', name))), 'mp3');
});

test('clone-voice makes a voice from a recording and speaks with it', async () => {
  const text = 'The birch canoe slid on the smooth planks. Glue the sheet to the dark blue background.';
  const recording = await speakTo('somebody.wav', `${text} It is easy to tell the depth of a well.`, {
    reference_id: 'libritts-100',
  });
  const printed = await runExample('clone-voice', recording, 'Now I speak with a voice of my own.');
  assert.match(printed, /My voice \([0-9a-f]{32}\) said it/);
  assert.equal(sniffAudio(await readFile(join(folder, 'cloned.mp3'))), 'mp3');
});

test('the page lists voices, speaks, and tells what is wrong', async (t) => {
  const path = await findBrowser();
  if (path === undefined) return skipWithout('browser', t, 'Chromium is not installed.');
  const browser = await startBrowser(path);
  t.after(() => browser.close());
  const page = await browser.open(`${pages.origin}/examples/browser/index.html`);
  const fill = (id: string, value: string) =>
    page.run(
      (name, text) => {
        document.getElementById(name)!.value = text;
      },
      id,
      value,
    );
  const click = (id: string) => page.run((name) => document.getElementById(name)!.click(), id);
  const status = () => page.run(() => document.getElementById('status')!.textContent);
  await fill('server', server.url);
  await fill('key', 'wrong');
  await click('connect');
  await until('the page complains', async () => /Invalid Token/.test(await status()));
  await fill('key', server.key);
  await click('connect');
  await until('the page is connected', async () => (await status()) === 'Connecting: done.');
  assert.ok((await page.run(() => document.querySelectorAll('option').length)) > 80);
  await fill('text', 'Hello.');
  await click('speak');
  await until('the page has spoken', async () => (await status()) === 'Speaking: done.');
});

/** As much of a page as is touched here. */
declare const document: {
  getElementById(id: string): { value: string; textContent: string; click(): void } | null;
  querySelectorAll(selector: string): { length: number };
};

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' };

/** The files of the repository for pages, as any static web server gives them. */
async function serveRepository(): Promise<typeof pages> {
  const files = createServer((request, response) => {
    const path = join(ROOT, new URL(request.url ?? '', 'http://page').pathname);
    response.setHeader('content-type', TYPES[extname(path)] ?? 'application/octet-stream');
    createReadStream(path)
      .on('error', () => response.writeHead(404).end())
      .pipe(response);
  });
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
  return { origin, close: () => void files.close() };
}
