import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { skipWithout } from '../../support/servers/missing-program.ts';
import { PROXIES, startProxy } from '../../support/servers/reverse-proxies.ts';
import { ToneSpeech } from '../../support/workers/tone-speech.ts';

/** Above the default limits of proxies: 1 MB in nginx. */
const UPLOAD_BYTES = 3 * 2 ** 20;

let server: TestServer;
/** Called by the test when it has received audio. Without it, speech pauses after its first chunk. */
let goOn: () => void = () => {};

before(async () => {
  const tone = new ToneSpeech();
  server = await startTestServer({
    config: { trustProxy: ['loopback'] },
    speech: {
      async speak(request, signal) {
        const result = await tone.speak(request, signal);
        const wait = new Promise<void>((resolve) => {
          goOn = resolve;
        });
        return { ...result, body: pauseAfterFirst(result.body, wait) };
      },
    },
  });
});
after(() => server.close());

async function* pauseAfterFirst(chunks: AsyncIterable<Uint8Array>, wait: Promise<void>) {
  let isFirst = true;
  for await (const chunk of chunks) {
    yield chunk;
    if (isFirst) await wait;
    isFirst = false;
  }
}

for (const proxy of PROXIES) {
  test(`${proxy.program}: audio is not buffered, WebSockets open, uploads have no further limit`, async (context) => {
    if (spawnSync(proxy.program, ['-h']).error !== undefined) {
      return skipWithout('proxies', context, `${proxy.program} is not installed.`);
    }
    const { url, stop } = await startProxy(proxy, server.url);
    context.after(stop);
    const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' };

    const spoken = await fetch(`${url}/v1/tts`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ text: 'A sentence of some length. And another one.', format: 'pcm' }),
    });
    assert.equal(spoken.status, 200);
    const reader = spoken.body!.getReader();
    // A proxy that buffers would wait for the end, which comes only after this.
    assert.ok((await reader.read()).value!.length > 0);
    goOn();
    while (!(await reader.read()).done);

    const body = new FormData();
    body.append('audio', new Blob([`audio:one two${'o'.repeat(UPLOAD_BYTES)}`]), 'speech.wav');
    const { authorization } = headers;
    const heard = await fetch(`${url}/v1/asr`, { method: 'POST', headers: { authorization }, body });
    assert.equal(heard.status, 200, await heard.clone().text());

    const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/tts/live`, { headers: { authorization } });
    await once(socket, 'open');
    socket.terminate();
    assert.equal((await fetch(`${url}/metrics`, { headers: { authorization } })).status, 404);
  });
}
