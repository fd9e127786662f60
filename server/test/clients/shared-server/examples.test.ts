import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import WebSocket from 'ws';
import { sniffAudio } from '../../../src/audio/sniff.ts';
import { type Browser, findBrowser, type Page, startBrowser } from '../../support/servers/browser.ts';
import { skipWithout } from '../../support/servers/missing-program.ts';
import { until } from '../../support/servers/real-server.ts';
import { createCertificate } from '../../support/servers/self-signed-certificate.ts';
import { useRealServer } from '../../support/servers/shared-real-server.ts';

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
const EXAMPLES = join(ROOT, 'examples/dist');
const run = promisify(execFile);
/** A fake microphone plays in real time, and a busy machine may need it several times. */
const REPLY_TIMEOUT_MS = 180_000;
/** What a page said after the sentence of the microphone. */
const REPLY = /(lighthouse.*)You said: .*\1/i;

const server = useRealServer();
let folder: string;
let pages: { readonly origin: string; close(): void };
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mynah-examples-'));
  pages = await servePage();
});
after(async () => {
  pages.close();
  await rm(folder, { recursive: true });
});

const environment = () => ({ ...process.env, MYNAH_API_KEY: server.key, MYNAH_BASE_URL: server.url });

/** Runs an example and returns its output. */
async function runExample(name: string, ...args: string[]): Promise<string> {
  const options = { cwd: folder, env: environment(), timeout: 300_000 };
  const { stdout } = await run(process.execPath, [join(EXAMPLES, `${name}.js`), ...args], options);
  return stdout;
}

/** Synthesizes a text to a file in the format of its extension. */
async function synthesizeTo(name: string, text: string, options: object = {}): Promise<string> {
  const path = join(folder, name);
  const response = await server.speak({ text, format: extname(name).slice(1), ...options });
  await writeFile(path, Buffer.from(await response.arrayBuffer()));
  return path;
}

test('first-speech writes a file', async () => {
  await runExample('first-speech');
  assert.equal(sniffAudio(await readFile(join(folder, 'first-speech.mp3'))), 'mp3');
});

test('live-agent transcribes a question and speaks an answer', async () => {
  const question = await synthesizeTo('question.pcm', 'What is the weather like today?', {
    sample_rate: 16_000,
  });
  const agent = spawn(process.execPath, [join(EXAMPLES, 'live-agent.js')], { env: environment() });
  createReadStream(question).pipe(agent.stdin);
  const [answer, log] = await Promise.all([buffer(agent.stdout), buffer(agent.stderr)]);
  assert.match(log.toString(), /^> what is the weather like today/i);
  assert.ok(answer.length > 2 * 24_000, `${answer.length} bytes of answer`);
});

test('subtitles writes captions for the audio of a video', async () => {
  const audio = await synthesizeTo('audio.wav', 'The old lighthouse stood on the cliff.');
  const video = join(folder, 'video.mkv');
  const picture = ['-f', 'lavfi', '-i', 'color=black:size=64x64:rate=5', '-i', audio, '-shortest', video];
  const hasFfmpeg = await run('ffmpeg', ['-v', 'error', ...picture]).then(
    () => true,
    () => false,
  );
  // Without ffmpeg the test uses the recording itself.
  const printed = await runExample('subtitles', hasFfmpeg ? video : audio);
  assert.match(await readFile(printed.trim(), 'utf8'), /^1\n00:00:00,\d{3} --> .*lighthouse stood/s);
});

test('audiobook writes one file per chapter, and a playlist', async () => {
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

test('clone-voice clones a voice from a recording and synthesizes with it', async () => {
  const text = 'The birch canoe slid on the smooth planks. Glue the sheet to the dark blue background.';
  const recording = await synthesizeTo('somebody.wav', `${text} It is easy to tell the depth of a well.`, {
    reference_id: 'libritts-100',
  });
  const printed = await runExample('clone-voice', recording, 'Now I speak with a voice of my own.');
  assert.match(printed, /My voice \([0-9a-f]{32}\) said it/);
  assert.equal(sniffAudio(await readFile(join(folder, 'cloned.mp3'))), 'mp3');
});

test('the example server gives out its pages and the client library only', async () => {
  const statusOf = async (path: string) => (await fetch(`${pages.origin}${path}`)).status;
  assert.equal(await statusOf('/examples/browser/'), 200);
  assert.equal(await statusOf('/sdk/typescript/dist/index.js'), 200);
  for (const path of [
    '/data/first-key',
    '/package.json',
    '/sdk/typescript/dist/../package.json',
    '/sdk/typescript/dist/%2e%2e/package.json',
    '/sdk/typescript/dist/..%2fpackage.json',
  ]) {
    assert.equal(await statusOf(path), 404, path);
  }
});

test('the page lists voices, speaks, and shows errors', async (t) => {
  const path = findBrowser();
  if (path === undefined) return skipWithout('browser', t, 'Chromium is not installed.');
  const browser = await startBrowser(path);
  t.after(() => browser.close());
  const page = await browser.open(`${pages.origin}/examples/browser/`);
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
  await until('the page shows an error', async () => /Invalid Token/.test(await status()));
  await fill('key', server.key);
  await click('connect');
  await until('the page is connected', async () => (await status()) === 'Connecting: done.');
  assert.ok((await page.run(() => document.querySelectorAll('option').length)) > 80);
  await fill('text', 'Hello.');
  await click('speak');
  await until('the page has spoken', async () => (await status()) === 'Speaking: done.');
});

test('the microphone page transcribes speech and speaks a reply', async (t) => {
  const path = findBrowser();
  if (path === undefined) return skipWithout('browser', t, 'Chromium is not installed.');
  const browser = await startBrowserWithMicrophone(path);
  t.after(() => browser.close());
  const page = await browser.open(`${pages.origin}/examples/browser/microphone.html`);
  await page.run(
    (url, key) => {
      document.getElementById('server')!.value = url;
      document.getElementById('key')!.value = key;
      document.getElementById('start')!.click();
    },
    server.url,
    server.key,
  );
  await until(
    'the page has replied',
    async () => REPLY.test(await textOf(page, 'conversation')),
    REPLY_TIMEOUT_MS,
  );
  await page.run(() => document.getElementById('stop')!.click());
  await until('the session has ended', async () => (await textOf(page, 'status')) === 'Stopped.');
});

test('a phone can hold a button, speak and hear a reply over one HTTPS address', async (t) => {
  const path = findBrowser();
  if (path === undefined) return skipWithout('browser', t, 'Chromium is not installed.');
  const { cert, key } = await createCertificate(folder, 'phone');
  const secure = await servePage(['--tls', cert, key], environment());
  t.after(() => secure.close());
  const browser = await startBrowserWithMicrophone(path, [
    '--ignore-certificate-errors',
    '--window-size=390,844',
  ]);
  t.after(() => browser.close());
  const page = await browser.open(`${secure.origin}/examples/browser/push-to-talk.html`);
  const press = (event: string) =>
    page.run((name) => document.getElementById('talk')!.dispatchEvent(new PointerEvent(name)), event);
  await page.run((apiKey) => {
    document.getElementById('key')!.value = apiKey;
  }, server.key);
  await press('pointerdown');
  const isHeard = async () => /lighthouse/i.test(await textOf(page, 'partial'));
  await until('the page has heard the sentence', isHeard, REPLY_TIMEOUT_MS);
  await press('pointerup');
  await until(
    'the page has replied',
    async () => REPLY.test(await textOf(page, 'conversation')),
    REPLY_TIMEOUT_MS,
  );
  const isReady = async () => (await textOf(page, 'status')) === 'Hold the button and speak.';
  await until('the page can be used again', isReady, REPLY_TIMEOUT_MS);
});

test('the HTTPS address relays WebSockets below /v1/ only', async (t) => {
  const { cert, key } = await createCertificate(folder, 'relay');
  const secure = await servePage(['--tls', cert, key], environment());
  t.after(() => secure.close());
  const connect = async (path: string) => {
    const socket = new WebSocket(`${secure.origin.replace('https', 'wss')}${path}?model=gpt-realtime`, {
      headers: { authorization: `Bearer ${server.key}` },
      rejectUnauthorized: false,
    });
    const outcome = await new Promise<string>((resolve) => {
      socket.on('open', () => resolve('open'));
      socket.on('error', ({ message }) => resolve(message));
    });
    socket.terminate();
    return outcome;
  };
  assert.equal(await connect('/v1/realtime'), 'open');
  assert.match(await connect('/compat/openai/v1/realtime'), /404/);
});

/**
 * A browser whose microphone says a sentence again and again: on a busy machine a browser loses parts of its audio.
 */
async function startBrowserWithMicrophone(path: string, flags: readonly string[] = []): Promise<Browser> {
  const sentence = '(long-break) The old lighthouse stood on the cliff. (long-break)';
  const speech = await synthesizeTo('microphone.wav', sentence, { sample_rate: 44_100 });
  return startBrowser(path, [
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-audio-capture=${speech}`,
    ...flags,
  ]);
}

function textOf(page: Page, id: string): Promise<string> {
  return page.run((name) => document.getElementById(name)!.textContent, id);
}

/** The part of the DOM that the tests use. */
declare const document: {
  getElementById(
    id: string,
  ): { value: string; textContent: string; click(): void; dispatchEvent(event: object): void } | null;
  querySelectorAll(selector: string): { length: number };
};

declare const PointerEvent: new (name: string) => object;

/** Starts `examples/browser/serve.mjs`. */
async function servePage(
  options: readonly string[] = [],
  env = process.env,
): Promise<{ readonly origin: string; close(): void }> {
  const child = spawn(process.execPath, [join(ROOT, 'examples/browser/serve.mjs'), '0', ...options], { env });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await until('the page is served', () => output.includes('\n'));
  return { origin: new URL(/https?:\S+/.exec(output)![0]).origin, close: () => child.kill() };
}
