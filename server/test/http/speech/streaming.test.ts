import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SpeechService } from '../../../src/domain/speech/speech-service.ts';
import { ApiError } from '../../../src/errors.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';

type SpeechOfTest = Pick<SpeechService, 'speak'>;

/** Speech whose body is the given one. */
function speechOf(body: (signal: AbortSignal) => AsyncIterable<Uint8Array>): SpeechOfTest {
  return {
    speak: async (_request, signal) => ({
      contentType: 'audio/pcm',
      model: 's1',
      engine: 'test',
      voice: 'stimme-ä',
      body: body(signal),
      deliveredBytes: () => 0,
      dictionaryBytes: () => 0,
    }),
  };
}

async function withServer(
  speech: SpeechOfTest | undefined,
  work: (server: TestServer) => Promise<void>,
  stallSeconds = 60,
) {
  const server = await startTestServer({
    ...(speech && { speech }),
    config: { streamStallSeconds: stallSeconds },
  });
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

/** A raw request, to inspect the bytes on the wire. */
async function open(server: TestServer): Promise<{ sent: ClientRequest; response: IncomingMessage }> {
  const sent = request(`${server.url}/v1/tts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
  });
  sent.on('error', () => {});
  sent.end(JSON.stringify({ text: 'hello' }));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { sent, response };
}

const DRAIN_SECONDS = 120;

/** `Promise.withResolvers`, which Node 20 lacks. */
function deferred<Value>() {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((given) => {
    resolve = given;
  });
  return { promise, resolve };
}

async function until(isTrue: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> {
  const deadlineMs = Date.now() + withinMs;
  while (!(await isTrue())) {
    assert.ok(Date.now() < deadlineMs, 'it did not happen in time');
    await sleep(5);
  }
}

test('audio arrives while the rest is still being synthesized', async () => {
  const gate = deferred<undefined>();
  const speech = speechOf(async function* () {
    yield Buffer.from('first');
    await gate.promise;
    yield Buffer.from('second');
  });
  await withServer(speech, async (server) => {
    const response = await server.speak({ text: 'hello' });
    const reader = response.body!.getReader();
    assert.equal(Buffer.from((await reader.read()).value!).toString(), 'first');
    gate.resolve(undefined);
    assert.equal(Buffer.from((await reader.read()).value!).toString(), 'second');
    assert.equal((await reader.read()).done, true);
    assert.equal(response.headers.get('x-mynah-voice'), encodeURI('stimme-ä'));
  });
});

test('an error before the first audio is an error response with Retry-After', async () => {
  const speech: SpeechOfTest = {
    speak: async () => {
      throw new ApiError('queue_full', 'Too many requests are waiting.', { retryAfterSeconds: 1.2 });
    },
  };
  await withServer(speech, async (server) => {
    const response = await server.speak({ text: 'hello' });
    assert.equal(response.status, 429);
    assert.equal(response.headers.get('retry-after'), '2');
    assert.equal(response.headers.get('x-fish-error-code'), 'queue_full');
    assert.deepEqual(await response.json(), { status: 429, message: 'Too many requests are waiting.' });
  });
});

test('an unexpected error is a 500 without details', async () => {
  const speech: SpeechOfTest = {
    speak: async () => {
      throw new TypeError('secret of the house');
    },
  };
  await withServer(speech, async (server) => {
    const response = await server.speak({ text: 'hello' });
    assert.equal(response.status, 500);
    assert.deepEqual(await response.json(), { status: 500, message: 'Something went wrong on the server.' });
    assert.equal(response.headers.get('x-fish-error-source'), 'server');
  });
});

test('a failure during the stream closes the connection, and the client detects it', async () => {
  const isReceived = deferred<undefined>();
  const speech = speechOf(async function* () {
    yield Buffer.alloc(1000);
    await isReceived.promise;
    throw new Error('worker died');
  });
  await withServer(speech, async (server) => {
    const { response } = await open(server);
    assert.equal(response.statusCode, 200);
    isReceived.resolve(undefined);
    response.resume();
    const [error] = (await once(response, 'error')) as [NodeJS.ErrnoException];
    assert.equal(error.code, 'ECONNRESET');
    assert.equal(response.complete, false);

    await assert.rejects(server.speak({ text: 'hello' }).then((spoken) => spoken.arrayBuffer()));
  });
});

test('on the wire, an interrupted stream lacks the last chunk', async () => {
  const isReceived = deferred<undefined>();
  const speech = speechOf(async function* () {
    yield Buffer.from('half');
    await isReceived.promise;
    throw new Error('worker died');
  });
  await withServer(speech, async (server) => {
    const body = '{"text":"hello"}';
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write(
      `POST /v1/tts HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    let seen = '';
    socket.on('data', (data) => {
      seen += data;
      if (seen.endsWith('half\r\n')) isReceived.resolve(undefined);
    });
    socket.on('error', () => {});
    await once(socket, 'close');
    assert.match(seen, /4\r\nhalf\r\n$/);
  });
});

test('when the client disconnects, the signal aborts and the synthesis ends', async () => {
  let isAborted = false;
  let isReturned = false;
  const speech = speechOf(async function* (signal) {
    signal.addEventListener('abort', () => {
      isAborted = true;
    });
    try {
      for (;;) {
        yield Buffer.alloc(1000);
        await sleep(5);
      }
    } finally {
      isReturned = true;
    }
  });
  await withServer(speech, async (server) => {
    const { sent, response } = await open(server);
    await once(response, 'data');
    sent.destroy();
    await until(() => isAborted && isReturned);
  });
});

test('when the client disconnects before the first audio, the signal aborts too', async () => {
  const seen = deferred<AbortSignal>();
  const speech: SpeechOfTest = {
    speak(_request, signal) {
      seen.resolve(signal);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  };
  await withServer(speech, async (server) => {
    const leave = new AbortController();
    const call = server.call('/v1/tts', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"text":"hello"}',
      signal: leave.signal,
    });
    const signal = await seen.promise;
    leave.abort();
    await assert.rejects(call);
    await until(() => signal.aborted);
  });
});

test('a complete stream does not abort the signal', async () => {
  let signal: AbortSignal | undefined;
  const speech = speechOf(async function* (given) {
    signal = given;
    yield Buffer.from('all');
  });
  await withServer(speech, async (server) => {
    await (await server.speak({ text: 'hello' })).arrayBuffer();
    await sleep(20);
    assert.equal(signal?.aborted, false);
  });
});

test('backpressure of a slow reader reaches the synthesis', async () => {
  let made = 0;
  const speech = speechOf(async function* () {
    for (; made < 2000; made += 1) yield Buffer.alloc(64 * 1024);
  });
  await withServer(speech, async (server) => {
    const { response, sent } = await open(server);
    response.pause();
    await sleep(300);
    const whileStalled = made;
    assert.ok(whileStalled < 500, `${whileStalled} chunks were made for nobody`);
    sent.destroy();
    await sleep(50);
    assert.ok(made < 510);
  });
});

test('a client that stops reading is disconnected, and its synthesis ends', async () => {
  let isReturned = false;
  const speech = speechOf(async function* () {
    try {
      for (;;) yield Buffer.alloc(64 * 1024);
    } finally {
      isReturned = true;
    }
  });
  await withServer(
    speech,
    async (server) => {
      const { response } = await open(server);
      response.pause();
      await until(() => isReturned);
      response.resume();
      await once(response, 'error');
      assert.equal(response.complete, false);
    },
    1,
  );
});

test('many concurrent streams are all complete', async () => {
  await withServer(undefined, async (server) => {
    const bodies = await Promise.all(
      Array.from({ length: 20 }, async () => (await server.speak({ text: 'x'.repeat(40) })).arrayBuffer()),
    );
    for (const body of bodies) assert.equal(body.byteLength, 2 * 44_100 * 2);
    assert.equal(server.speech.active, 0);
  });
});

test('shutdown completes a running stream and rejects new requests', async () => {
  const gate = deferred<undefined>();
  const speech = speechOf(async function* () {
    yield Buffer.from('begun ');
    await gate.promise;
    yield Buffer.from('and finished');
  });
  const server = await startTestServer({ speech });
  const running = await server.speak({ text: 'hello' });
  const closed = server.close(DRAIN_SECONDS);
  await until(() =>
    fetch(`${server.url}/v1/health`).then(
      () => false,
      () => true,
    ),
  );
  gate.resolve(undefined);
  assert.equal(await running.text(), 'begun and finished');
  const startedAtMs = Date.now();
  await closed;
  assert.ok(Date.now() - startedAtMs < DRAIN_SECONDS * 500, 'an idle connection does not hold up the stop');
});

test('a stream that exceeds the drain time of a shutdown is interrupted', async () => {
  let isAborted = false;
  const speech = speechOf(async function* (signal) {
    signal.addEventListener('abort', () => {
      isAborted = true;
    });
    yield Buffer.from('begun');
    await sleep(60_000, undefined, { signal });
  });
  const server = await startTestServer({ speech });
  const running = await server.speak({ text: 'hello' });
  await server.close(0.1);
  assert.ok(isAborted);
  await assert.rejects(running.text());
});
