import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findBrowser, type Page, startBrowser } from '../../support/servers/browser.ts';
import { skipWithout } from '../../support/servers/missing-program.ts';
import { useRealServer } from '../../support/servers/shared-real-server.ts';

const run = promisify(execFile);
/** A slow machine needs long for a cloned voice. */
const WAIT_MS = 180_000;
const POLL_MS = 500;
/** Sends every operation to a real server and prints its status; for a run by hand. */
const isComplete = process.env.MYNAH_TEST_REFERENCE === 'complete';

/** Sends the form of an operation of the page, and returns the status that it shows. */
async function sendForm(page: Page, id: string, fields: Fields = {}): Promise<string> {
  return page.run(
    async (operation, values, waitMs) => {
      const end = Date.now() + waitMs;
      const until = async (isTrue: () => boolean) => {
        while (!isTrue() && Date.now() < end) await new Promise((done) => setTimeout(done, 20));
      };
      const form = document.querySelector(`[id="${operation}"] form`)!;
      for (const [name, value] of Object.entries(values)) {
        const input = form.querySelector(`[aria-label="${name}"]`)!;
        input.value = value;
        input.dispatchEvent(new Event('input', { bubbles: true }));
      }
      for (const button of form.querySelectorAll('.file button')) {
        const note = button.nextElementSibling!;
        if (note.textContent === '') button.click();
        await until(() => !['', 'Making it…'].includes(note.textContent));
      }
      form.requestSubmit();
      const response = form.querySelector('.response')!;
      await until(() => form.querySelector('[data-status]') !== null);
      const status = form.querySelector('[data-status]')?.dataset.status;
      return `${status ?? 'no response'} ${response.innerText.slice(0, 300)}`;
    },
    id,
    fields,
    WAIT_MS,
  );
}

/** Sent in every run: speech, a form with a file, an id that a later operation takes from a response, WebSockets, other services. */
const SHORT_RUN = [
  'createSpeech',
  'createTranscript',
  'createPronunciationDictionary',
  'getPronunciationDictionary',
  'getHealth',
  'ws-v1-tts-live',
  'ws-v1-asr-live',
  'post-v1-audio-speech',
  'post-compat-elevenlabs-v1-text-to-speech-voice-id-',
  'ws-compat-elevenlabs-v1-text-to-speech-voice-id-stream-input',
];
const REMOVAL = /^(admin)?(delete|cancel|revoke)/i;
/** The values of fields by their label; `Body` is a JSON text. */
type Fields = Record<string, string>;
/** What is sent before an operation so that it has a resource of its own; returns the fields to fill in. */
const PREPARATIONS: Readonly<Record<string, (page: Page) => Promise<Fields>>> = {
  getTranscriptionJob: startTranscriptionJob,
  cancelTranscriptionJob: startTranscriptionJob,
  pauseAudiobook: async (page) => {
    // Long enough to be unfinished when the next request arrives.
    const Body = JSON.stringify({ text: 'The ships leave the harbour every morning. '.repeat(150) });
    await sendForm(page, 'createAudiobook', { Body });
    return {};
  },
  closeSession: async (page) => {
    await sendForm(page, 'openSession');
    return {};
  },
  deletePronunciationDictionaryVersion: async (page) => {
    // The latest version cannot be archived.
    const version = await readPage(page, '[id="deletePronunciationDictionaryVersion"] [name="version_id"]');
    const Body = JSON.stringify({ rules: [], expected_latest_version_id: version });
    await sendForm(page, 'publishPronunciationDictionaryVersion', { Body });
    return { version_id: version };
  },
  'post-compat-elevenlabs-v1-text-to-voice': async (page) => {
    const previews = await readPage(page, '[id="post-compat-elevenlabs-v1-text-to-voice-design"] .response');
    const id = /"generated_voice_id": "([^"]+)"/.exec(previews)?.[1];
    return { Body: JSON.stringify({ voice_name: 'Captain', generated_voice_id: id }) };
  },
};
/** Results of a job, which are 409 until they are there. */
const JOB_RESULTS = ['getAudiobookAudio', 'getAudiobookCaptions'];
/** Operations whose command is also run in a shell. */
const SHELL_RUN = [
  'createSpeech',
  'createTranscript',
  'createPronunciationDictionary',
  'post-v1-audio-speech',
];

const server = useRealServer();

test('operations of the reference page are answered when they are sent, and their commands run in a shell', async (t) => {
  const path = findBrowser();
  if (path === undefined) return skipWithout('browser', t, 'Chromium is not installed.');
  const folder = await mkdtemp(join(tmpdir(), 'mynah-reference-'));
  t.after(() => rm(folder, { recursive: true }));
  const browser = await startBrowser(path);
  t.after(() => browser.close());

  const page = await browser.open(`${server.url}/docs`);
  const operations = await listOperations(page);
  const ids = operations.map(({ id }) => id);
  assert.deepEqual(
    SHORT_RUN.filter((id) => !ids.includes(id)),
    [],
  );
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(
    operations.filter(({ command }) => !/^(curl|new WebSocket)/.test(command)),
    [],
  );

  await setKey(page, server.key);
  const recording = await fetch(`${server.url}/v1/tts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'The ships leave the harbour every morning.', format: 'wav' }),
  });
  await writeFile(join(folder, 'recording.wav'), Buffer.from(await recording.arrayBuffer()));

  const failures: string[] = [];
  for (const id of isComplete ? completeRun(ids) : SHORT_RUN) {
    const status = await tryOperation(page, id, server.key);
    if (isComplete) console.error(`${id}: ${status.split('\n')[0]}`);
    if (!/^(2\d\d|101) /.test(status)) failures.push(`${id}: ${status}`);
  }
  for (const { id, command } of operations.filter((operation) => SHELL_RUN.includes(operation.id))) {
    const env = { ...process.env, KEY: server.key };
    const failed = (error: Error) => failures.push(`${id}: ${error.message}`);
    await run('bash', ['-c', command], { cwd: folder, env, timeout: WAIT_MS }).catch(failed);
  }
  assert.deepEqual(failures, []);
});

/** All operations. What is removed cannot be tried any more, and a part is removed before the whole. */
function completeRun(ids: readonly string[]): readonly string[] {
  const removals = ids.filter((id) => REMOVAL.test(id)).reverse();
  return [...ids.filter((id) => !REMOVAL.test(id)), ...removals];
}

async function tryOperation(page: Page, id: string, key: string): Promise<string> {
  const fields = await PREPARATIONS[id]?.(page);
  // The session of a cookie counts only in a request without a key.
  const isOfCookie = id === 'closeSession';
  if (isOfCookie) await setKey(page, '');
  let status = await sendForm(page, id, fields);
  const end = Date.now() + WAIT_MS;
  while (JOB_RESULTS.includes(id) && status.startsWith('409 ') && Date.now() < end) {
    await delay(POLL_MS);
    status = await sendForm(page, id);
  }
  if (isOfCookie) await setKey(page, key);
  return status;
}

async function startTranscriptionJob(page: Page): Promise<Fields> {
  await sendForm(page, 'createTranscript', { async: 'true' });
  return {};
}

/** The value of a field of the page, or the text of another element. */
function readPage(page: Page, query: string): Promise<string> {
  return page.run((selector) => {
    const found = document.querySelector(selector)!;
    return found.value ?? found.textContent;
  }, query);
}

async function setKey(page: Page, key: string): Promise<void> {
  await page.run((value) => {
    const input = document.getElementById('key')!;
    input.value = value;
    input.dispatchEvent(new Event('input'));
  }, key);
}

interface ListedOperation {
  readonly id: string;
  readonly command: string;
}

/** Waits until the page is complete and lists its operations. */
function listOperations(page: Page): Promise<readonly ListedOperation[]> {
  return page.run(async (waitMs) => {
    const end = Date.now() + waitMs;
    while (document.body.dataset.ready === undefined && Date.now() < end)
      await new Promise((done) => setTimeout(done, 20));
    return [...document.querySelectorAll('article:not(.schema)')].map((article) => ({
      id: article.id,
      command: article.querySelector('pre')?.textContent ?? '',
    }));
  }, WAIT_MS);
}

/** The parts of the DOM that the functions in the page use. */
interface PageElement {
  readonly id: string;
  value: string;
  textContent: string;
  readonly innerText: string;
  readonly dataset: Readonly<Record<string, string | undefined>>;
  readonly style: Record<string, string>;
  readonly nextElementSibling: PageElement | null;
  click(): void;
  requestSubmit(): void;
  dispatchEvent(event: Event): void;
  querySelector(query: string): PageElement | null;
  querySelectorAll(query: string): Iterable<PageElement>;
}
declare const document: PageElement & {
  readonly body: PageElement;
  getElementById(id: string): PageElement | null;
};
