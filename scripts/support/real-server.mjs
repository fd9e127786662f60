// A real server as the checks use it (scripts/check-*.mjs): start, stop, and the calls of a client.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = resolve(import.meta.dirname, '../..');
const READY_TIMEOUT_MS = 600_000;

export const SERVER_MAIN = join(ROOT, 'server/dist/bundle/main.js');
export const CLI_MAIN = join(ROOT, 'server/dist/bundle/cli.js');

/** Long enough to clone a voice from. */
export const VOICE_TEXT =
  'This recording becomes a voice. It is long enough for that, because it has several sentences, and each of them is quite plain.';

export function assert(isTrue, problem) {
  if (!isTrue) throw new Error(problem);
}

/** Servers that this module has asked to stop. */
const stopping = new WeakSet();

/**
 * Starts a server and waits until it is ready on `url`. Its standard error is that of this process. Reports an end that was
 * not asked for, since a request would only see a lost connection.
 */
export async function startServer({ command = process.execPath, args = [SERVER_MAIN], url, ...options }) {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'ignore', 'inherit'] });
  child.once('exit', (status, signal) => {
    if (!stopping.has(child))
      console.error(`The server ended by itself with ${signal ?? `status ${status}`}.`);
  });
  await until('the server is ready', async () => {
    assert(child.exitCode === null, `the server ended with status ${child.exitCode}`);
    return isReady(url);
  });
  return child;
}

async function isReady(url) {
  try {
    // The path that every version has.
    return (await fetch(`${url}/v1/health/ready`)).ok;
  } catch {
    return false;
  }
}

/** Sends SIGTERM and expects status 0. */
export async function stopServer(child) {
  const exited = once(child, 'exit');
  stopping.add(child);
  child.kill('SIGTERM');
  const [status, signal] = await exited;
  assert(status === 0, `the server ended with ${signal ?? `status ${status}`}`);
}

/** The first API key of a data folder. */
export function firstKey(dataFolder) {
  return readFileSync(join(dataFolder, 'first-key'), 'utf8').trim();
}

/** Posts to a server with a key. A plain object is sent as JSON. */
export function post(url, key, body, headers = {}) {
  const isForm = body instanceof FormData;
  return fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      ...(isForm ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: isForm ? body : JSON.stringify(body),
  });
}

/** The audio of a speech request. */
export async function speak(url, key, request, headers) {
  const response = await post(`${url}/v1/tts`, key, request, headers);
  assert(response.status === 200, `speech: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/** Clones a voice from a recording and returns its id. */
export async function cloneVoice(url, key, recording) {
  const response = await post(`${url}/model`, key, form({ title: 'Check', voices: recording }));
  assert(response.status === 201, `cloning: ${response.status} ${await response.clone().text()}`);
  return (await response.json())._id;
}

/** A form of texts and recordings. */
export function form(fields) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') body.append(name, value);
    else body.append(name, new Blob([value]), 'recording.wav');
  }
  return body;
}

/** Repeats a condition until it is true; its errors are errors of the caller. */
export async function until(what, isTrue, timeoutMs = READY_TIMEOUT_MS) {
  for (const endMs = Date.now() + timeoutMs; !(await isTrue()); await sleep(500))
    assert(Date.now() < endMs, `Not in time: ${what}.`);
}

export function freePort() {
  return new Promise((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });
}
