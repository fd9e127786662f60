// A real server with real engines, and a real browser on its console.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before } from 'node:test';
import { chromium } from 'playwright-core';
import { findBrowser } from '../../server/dist/test/support/servers/browser.js';
import { startRealServer } from '../../server/dist/test/support/servers/real-server.js';

/** Wait of a page for anything, for example for speech on a slow machine. */
const PAGE_TIMEOUT_MS = 120_000;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What the fake microphone of the shared browser plays. */
export const SPOKEN =
  'The sun rose slowly over the quiet harbour, and the first boats were already leaving. ' +
  'Please bring three apples, a loaf of bread, and a jar of dark honey.';

const browserPath = findBrowser();
if (browserPath === undefined && process.env.MYNAH_TEST_BROWSER) throw new Error('No browser is installed.');

export const hasBrowser = browserPath !== undefined;

/** Options of tests that need a browser: skipped where there is none, unless MYNAH_TEST_BROWSER is set. */
export const needsBrowser = { skip: browserPath === undefined && 'no browser is installed' };

/** Starts the server. `loginLink` is the link that it printed. */
export async function startConsole(options = {}) {
  const server = await startRealServer(options);
  const loginLink = /(http:\S+\/login#link=\S+)/.exec(server.output())?.[1];
  return { ...server, loginLink };
}

let shared;
let users = 0;

/**
 * One server and one browser for all files of a process. Called in a suite; its value has `server`, `browser` and
 * `microphone` (a WAV file) when its tests run. The last suite closes them. The pages of a test are closed after it.
 */
export function useConsole() {
  const parts = {};
  users++;
  before(async () => {
    shared ??= openShared();
    Object.assign(parts, await shared);
  });
  afterEach(closePages);
  after(async () => {
    if (--users > 0 || shared === undefined) return;
    const closing = shared;
    shared = undefined;
    await (await closing).close();
  });
  return parts;
}

async function openShared() {
  const server = await startConsole();
  const folder = await mkdtemp(join(tmpdir(), 'mynah-microphone-'));
  const microphone = join(folder, 'microphone.wav');
  const response = await server.speak({ text: SPOKEN, format: 'wav', reference_id: 'am_michael' });
  await writeFile(microphone, Buffer.from(await response.arrayBuffer()));
  const browser = await startBrowser({ microphone });
  const close = async () => {
    await browser.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { server, browser, microphone, close };
}

/** Starts a browser. `microphone` is a WAV file that the fake microphone plays. */
export function startBrowser({ microphone } = {}) {
  return chromium.launch({
    executablePath: browserPath,
    args: [
      '--no-sandbox',
      '--mute-audio',
      '--autoplay-policy=no-user-gesture-required',
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      ...(microphone ? [`--use-file-for-fake-audio-capture=${microphone}`] : []),
    ],
  });
}

const openContexts = new Set();

/** Closes the pages that tests have opened. An open page goes on drawing, polling and listening to the microphone. */
export async function closePages() {
  const closing = [...openContexts];
  openContexts.clear();
  for (const context of closing) await context.close();
}

/** Opens a page and collects what must not occur: errors in its console and failed requests. */
export async function openPage(browser, options = {}) {
  const context = await browser.newContext({ locale: 'en-US', acceptDownloads: true, ...options });
  context.setDefaultTimeout(PAGE_TIMEOUT_MS);
  openContexts.add(context);
  const page = await context.newPage();
  const problems = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
  });
  return { page, context, problems };
}

/** Logs in with the key of the server. */
export async function logIn(page, server, path = '/') {
  await page.goto(`${server.url}/login?next=${encodeURIComponent(path)}`);
  await page.getByLabel('API key').fill(server.key);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL(server.url + path);
}

/** Holds the requests of a page whose URL matches, until `release` is called. `count` is the number of held requests. */
export async function holdRequests(page, url) {
  const held = { count: 0 };
  const released = new Promise((resolve) => {
    held.release = resolve;
  });
  await page.route(url, async (route) => {
    held.count++;
    await released;
    await route.continue();
  });
  return held;
}

const TABS_MAX = 200;

/** Presses Tab until the element has the focus. */
export async function tabTo(page, locator) {
  await locator.waitFor();
  for (let count = 0; count < TABS_MAX; count++) {
    if (await locator.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${locator} cannot be reached by keyboard.`);
}

const AXE_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules whose result depends on the theme. */
export const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Violations that axe finds on the page, one line each. */
export async function findViolations(page, rules = AXE_TAGS) {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  return page.evaluate(async (runOnly) => {
    const { violations } = await globalThis.axe.run(document, { runOnly });
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
    );
  }, rules);
}

/** Keeps all samples that the page plays, in `globalThis.played`. Runs in the page before its own scripts. */
export function capturePlayback() {
  globalThis.played = [];
  const { start } = AudioBufferSourceNode.prototype;
  AudioBufferSourceNode.prototype.start = function startAndKeep(...given) {
    if (this.buffer) globalThis.played.push(...this.buffer.getChannelData(0));
    return start.apply(this, given);
  };
}

/** A WAV file with 16-bit mono samples. */
export function toWav(samples, sampleRateHz) {
  const bytes = Buffer.alloc(44 + samples.length * 2);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(36 + samples.length * 2, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(sampleRateHz, 24);
  bytes.writeUInt32LE(sampleRateHz * 2, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(samples.length * 2, 40);
  samples.forEach((value, index) => {
    bytes.writeInt16LE(Math.round(Math.max(-1, Math.min(1, value)) * 32_767), 44 + index * 2);
  });
  return bytes;
}

/** Transcribes a recording with the server. */
export async function transcribe(server, wav) {
  const form = new FormData();
  form.set('audio', new Blob([wav], { type: 'audio/wav' }), 'played.wav');
  const response = await fetch(`${server.url}/v1/asr`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}` },
    body: form,
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()).text;
}

/** The words of a text in lower case, without punctuation. */
export function wordsOf(text) {
  return text
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter(Boolean);
}
