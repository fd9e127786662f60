import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { pack } from 'msgpackr';
import { WebSocketServer } from 'ws';
import { bundle } from '../support/documents/sdk-bundle.ts';
import { type Browser, findBrowser, type Page, startBrowser } from '../support/servers/browser.ts';
import { startTestServer } from '../support/servers/http-server.ts';
import { skipWithout } from '../support/servers/missing-program.ts';
import { startRealServer, until } from '../support/servers/real-server.ts';

/** What the page makes of the library, for the functions that run there. */
declare const mynah: typeof import('mynah');

const path = findBrowser();

/** Runs a test in a page that lives on another origin than the servers it calls. */
function inBrowser(name: string, work: (given: { page: Page; origin: string }) => Promise<void>): void {
  test(name, async (t) => {
    if (path === undefined) return skipWithout('browser', t, 'Chromium is not installed.');
    browser ??= await startBrowser(path);
    pages ??= await servePage();
    const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
    await work({ page: await browser.open(origin), origin });
  });
}

let browser: Browser | undefined;
let pages: Server | undefined;
test.after(async () => {
  await browser?.close();
  pages?.close();
});

/** A page with the bundled library in it. */
async function servePage(): Promise<Server> {
  const { code } = await bundle("import * as mynah from 'mynah'; globalThis.mynah = mynah;");
  const server = createServer((request, response) => {
    const isScript = request.url === '/mynah.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? code : '<!doctype html><script type="module" src="/mynah.js"></script>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

inBrowser('a page gets speech as a stream, and stops the server when it leaves', async ({ page, origin }) => {
  const server = await startTestServer({ config: { corsOrigins: [origin] } });
  try {
    const options = { apiKey: server.key, baseUrl: server.url };
    const got = await page.run(async (given) => {
      const client = new mynah.Mynah(given);
      const audio = await client.textToSpeech.convert({ text: 'hello there', model: 's1', format: 'pcm' });
      let length = 0;
      for await (const chunk of audio) length += chunk.length;
      return { length, ...audio.facts };
    }, options);
    assert.equal(got.length, 2 * Math.floor('hello there'.length * 0.05 * 44_100));
    assert.deepEqual([got.model, got.voice, got.contentType], ['s1', 'af_heart', 'audio/pcm']);
    assert.match(got.requestId ?? '', /^[0-9a-f]{32}$/);

    await page.run(async (given) => {
      const client = new mynah.Mynah(given);
      const text = 'long '.repeat(20_000);
      for await (const _ of await client.textToSpeech.convert({ text, format: 'pcm' })) break;
    }, options);
    await until('the server stops', () => server.speech.active === 0);
  } finally {
    await server.close();
  }
});

inBrowser('a page speaks live and hears live over WebSockets', async ({ page, origin }) => {
  const server = await startTestServer({ config: { corsOrigins: [origin] } });
  try {
    const options = { apiKey: server.key, baseUrl: server.url };
    const bytes = await page.run(async (given) => {
      const client = new mynah.Mynah(given);
      const audio = client.textToSpeech.convertRealtime({ model: 's1', format: 'pcm' }, ['hello ', 'there']);
      return (await audio.bytes()).length;
    }, options);
    assert.equal(bytes, 2 * Math.floor('hello there'.length * 0.05 * 44_100));
    assert.equal(server.speech.requests.at(-1)?.model, 's1');

    const events = await page.run(async (given) => {
      const client = new mynah.Mynah(given);
      async function* sound() {
        yield new Uint8Array(32_000);
      }
      const heard: string[] = [];
      for await (const event of client.speechToText.live({ sample_rate: 16_000 }, sound())) {
        heard.push(`${event.event}: ${event.text}`);
      }
      return heard;
    }, options);
    assert.deepEqual(events.at(-1), 'segment: the rest');
  } finally {
    await server.close();
  }
});

inBrowser('refusals have their class in a page too, sockets included', async ({ page, origin }) => {
  const server = await startTestServer({ config: { corsOrigins: [origin] } });
  try {
    const names = await page.run(
      async (baseUrl, apiKey) => {
        const client = new mynah.Mynah({ baseUrl, apiKey });
        const stranger = new mynah.Mynah({ baseUrl, apiKey: 'wrong' });
        const nobody = new mynah.Mynah({ baseUrl: 'http://127.0.0.1:1', apiKey, maxRetries: 0 });
        const stop = AbortSignal.abort(new Error('enough'));
        const calls = [
          client.textToSpeech.convert({ text: 'x', reference_id: 'nobody' }),
          stranger.textToSpeech.convert({ text: 'x' }),
          stranger.textToSpeech.convertRealtime({}, ['x']).bytes(),
          nobody.textToSpeech.convert({ text: 'x' }),
          nobody.textToSpeech.convertRealtime({}, ['x']).bytes(),
          client.textToSpeech.convert({ text: 'x' }, { signal: stop }),
        ];
        return Promise.all(
          calls.map((call) =>
            call.then(
              () => 'none',
              (error: Error & { code?: string }) => [error.name, error.code ?? error.message].join(' '),
            ),
          ),
        );
      },
      server.url,
      server.key,
    );
    assert.deepEqual(names.slice(0, 3), [
      'InvalidRequestError voice_not_found',
      'AuthenticationError invalid_api_key',
      'AuthenticationError invalid_api_key',
    ]);
    assert.match(names[3]!, /^ConnectionError/);
    assert.match(names[4]!, /^ConnectionError/);
    assert.equal(names[5], 'Error enough');
  } finally {
    await server.close();
  }
});

inBrowser('a page that is told to stop in midstream stops the server', async ({ page, origin }) => {
  const server = await startTestServer({ config: { corsOrigins: [origin] } });
  try {
    const error = await page.run(
      async (baseUrl, apiKey) => {
        const client = new mynah.Mynah({ baseUrl, apiKey });
        const stop = new AbortController();
        const text = 'long '.repeat(20_000);
        const audio = await client.textToSpeech.convert({ text, format: 'pcm' }, { signal: stop.signal });
        try {
          for await (const _ of audio) stop.abort(new Error('enough'));
          return 'none';
        } catch (caught) {
          return (caught as Error).message;
        }
      },
      server.url,
      server.key,
    );
    assert.equal(error, 'enough');
    await until('the server stops', () => server.speech.active === 0);
  } finally {
    await server.close();
  }
});

inBrowser(
  'a connection that breaks in midstream is an error in a page, also while it plays',
  async ({ page }) => {
    const server = createServer((request, response) => {
      const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*, authorization' };
      if (request.method === 'OPTIONS') {
        response.writeHead(204, cors).end();
        return;
      }
      response.writeHead(200, { ...cors, 'content-type': 'audio/mpeg' });
      response.write(silentMp3(10), () => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const names = await page.run(
        async (baseUrl) => {
          const client = new mynah.Mynah({ baseUrl, apiKey: 'key' });
          const nameOf = (work: Promise<unknown>) =>
            work.then(
              () => 'none',
              (error: Error) => error.name,
            );
          const audio = await client.textToSpeech.convert({ text: 'x' });
          const played = await client.textToSpeech.convert({ text: 'x' });
          return Promise.all([nameOf(audio.bytes()), nameOf(mynah.play(played))]);
        },
        `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      );
      assert.deepEqual(names, ['ConnectionError', 'ConnectionError']);
    } finally {
      server.close();
    }
  },
);

inBrowser('a live session that breaks, or that the server ends, is an error in a page', async ({ page }) => {
  const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'mynah' });
  await new Promise((resolve) => sockets.once('listening', resolve));
  sockets.on('connection', (socket, request) => {
    socket.send(pack({ event: 'audio', audio: Buffer.from('half') }));
    if (request.url?.includes('model=broke')) socket.terminate();
    else socket.send(pack({ event: 'finish', reason: 'error', message: 'No more.', code: 'queue_full' }));
  });
  try {
    const names = await page.run(
      async (baseUrl) => {
        const client = new mynah.Mynah({ baseUrl, apiKey: 'key' });
        const nameOf = (model: string) =>
          client.textToSpeech
            .convertRealtime({ model }, ['x'])
            .bytes()
            .then(
              () => 'none',
              (error: Error & { code?: string }) => [error.name, error.code].join(' ').trim(),
            );
        return Promise.all([nameOf('broke'), nameOf('ended')]);
      },
      `http://127.0.0.1:${(sockets.address() as AddressInfo).port}`,
    );
    assert.deepEqual(names, ['ConnectionError', 'LiveSessionError queue_full']);
  } finally {
    sockets.close();
  }
});

inBrowser(
  'a page plays real speech to its end, through MediaSource and through Web Audio',
  async ({ page, origin }) => {
    const server = await startRealServer({ env: { MYNAH_CORS_ORIGINS: origin } });
    try {
      for (const format of ['mp3', 'wav'] as const) {
        const seconds = await page.run(
          async (baseUrl, apiKey, wanted) => {
            const client = new mynah.Mynah({ baseUrl, apiKey });
            const audio = await client.textToSpeech.convert({
              text: 'Hello, you.',
              model: 's1',
              format: wanted,
            });
            const startedAt = performance.now();
            await mynah.play(audio);
            return (performance.now() - startedAt) / 1000;
          },
          server.url,
          server.key,
          format,
        );
        assert.ok(seconds > 0.4 && seconds < 30, `${format}: heard for ${seconds} s`);
      }
    } finally {
      await server.close();
    }
  },
);

/** Frames of silence, 417 bytes each (MPEG-1 layer III, 128 kbit/s, 44.1 kHz, mono). */
function silentMp3(frames: number): Uint8Array {
  const bytes = new Uint8Array(417 * frames);
  for (let at = 0; at < bytes.length; at += 417) bytes.set([0xff, 0xfb, 0x90, 0xc4], at);
  return bytes;
}
