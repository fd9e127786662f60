// Measures what nginx and Caddy, with the configurations of deploy/, add to a server with scripted speech: time to first
// audio, idle WebSockets held, and whether a large upload is streamed. By hand; the tests check the behaviour only.
//
//   node scripts/check-proxies.mjs
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { DIST } from './setup.mjs';

const REQUESTS = 200;
/** Requests before the measurement, which compile the code on their path. */
const WARM_UP_REQUESTS = 50;
const SOCKETS = 1000;
const UPLOAD_BYTES = 100 * 2 ** 20;

const { startTestServer } = await import(`${DIST}/test/support/servers/http-server.js`);
const { PROXIES, startProxy } = await import(`${DIST}/test/support/servers/reverse-proxies.js`);
const server = await startTestServer({
  config: {
    socketsMax: 5000,
    liveSocketsMax: 5000,
    keyRequestsPerMinute: 0,
    asrUploadMaxBytes: 2 * UPLOAD_BYTES,
    accountUploadsMaxBytes: 4 * UPLOAD_BYTES,
    liveIdleSeconds: 600,
  },
});
const authorization = `Bearer ${server.key}`;
try {
  for (const proxy of PROXIES) {
    const { url, stop } = await startProxy(proxy, server.url);
    try {
      const { direct, proxied } = await compareFirstAudio(url);
      console.log(
        `${proxy.program}: first audio ${proxied.toFixed(1)} ms, direct ${direct.toFixed(1)} ms (medians of ${REQUESTS})`,
      );
      console.log(`${proxy.program}: ${await holdSockets(url)} of ${SOCKETS} idle sockets held for 10 s`);
      console.log(`${proxy.program}: ${await streamUpload(url)}`);
    } finally {
      await stop();
    }
  }
} finally {
  await server.close();
}

/** Medians of requests to the proxy and to the server, alternating, so that the load of the machine affects both alike. */
async function compareFirstAudio(url) {
  const direct = [];
  const proxied = [];
  for (let request = -WARM_UP_REQUESTS; request < REQUESTS; request++) {
    const times = [await firstAudioMs(server.url), await firstAudioMs(url)];
    if (request < 0) continue;
    direct.push(times[0]);
    proxied.push(times[1]);
  }
  return { direct: median(direct), proxied: median(proxied) };
}

async function firstAudioMs(url) {
  const start = performance.now();
  const response = await fetch(`${url}/v1/tts`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'One short sentence.', format: 'pcm' }),
  });
  const reader = response.body.getReader();
  await reader.read();
  const time = performance.now() - start;
  while (!(await reader.read()).done);
  return time;
}

async function holdSockets(url) {
  const sockets = [];
  for (let index = 0; index < SOCKETS; index += 50) {
    const batch = Array.from({ length: 50 }, () => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/tts/live`, {
        headers: { authorization },
      });
      socket.on('error', () => {});
      return socket;
    });
    await Promise.all(
      batch.map((socket) => Promise.race([once(socket, 'open'), once(socket, 'close')]).catch(() => {})),
    );
    sockets.push(...batch);
  }
  await sleep(10_000);
  const held = sockets.filter(({ readyState }) => readyState === WebSocket.OPEN).length;
  for (const socket of sockets) socket.terminate();
  return held;
}

/** Sends half of a recording, looks for it on the disk of the server, and sends the rest. */
async function streamUpload(url) {
  const head = '--b\r\ncontent-disposition: form-data; name="audio"; filename="a.wav"\r\n\r\n';
  const upload = request(`${url}/v1/asr`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'multipart/form-data; boundary=b' },
  });
  const answered = once(upload, 'response');
  const send = async (chunk) => {
    if (!upload.write(chunk)) await once(upload, 'drain');
  };
  const zeros = Buffer.alloc(2 ** 20);
  await send(head);
  for (let sent = 0; sent < UPLOAD_BYTES / 2; sent += zeros.length) await send(zeros);
  let seen = 0;
  for (const endMs = Date.now() + 30_000; Date.now() < endMs && seen < UPLOAD_BYTES / 4; await sleep(50)) {
    seen = storedBytes(join(server.dataFolder, 'uploads'));
  }
  for (let sent = 0; sent < UPLOAD_BYTES / 2; sent += zeros.length) await send(zeros);
  upload.end('\r\n--b--\r\n');
  const [response] = await answered;
  response.resume();
  return `upload of 100 MB, answered with ${response.headers['x-fish-error-code']} because it is no audio; the server had ${(seen / 2 ** 20).toFixed(0)} MB when 50 MB were sent`;
}

function storedBytes(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath ?? entry.path, entry.name)).size, 0);
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
