import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../support/http-server.ts';
import { until } from '../support/real-server.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer({ config: { bodyMaxBytes: 4_000_000, bodiesMaxBytes: 500_000 } });
});
after(() => server.close());

const bodyOf = (bytes: number) => JSON.stringify({ text: 'Hello.', ignored: 'x'.repeat(bytes) });
const codeOf = async (response: Response) => {
  await response.arrayBuffer();
  return [response.status, response.headers.get('x-fish-error-code')];
};

/** A request whose body is incomplete until `finish` is called. */
function sendSlowly(bytes: number) {
  const body = bodyOf(bytes);
  const slow = request(new URL('/v1/tts', server.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
  });
  const status = new Promise<number | undefined>((resolve) => {
    slow.on('response', (response) => response.resume().on('end', () => resolve(response.statusCode)));
    slow.on('error', () => resolve(undefined));
  });
  slow.write(body.slice(0, -1));
  return { status, finish: () => slow.end(body.slice(-1)), leave: () => slow.destroy() };
}

for (const ending of ['finish', 'leave'] as const) {
  test(`large bodies above the memory limit are rejected until another request is ${ending === 'finish' ? 'complete' : 'aborted'}`, async () => {
    let slow = sendSlowly(300_000);
    await until('another body is rejected', async () => {
      const [status, code] = await codeOf(await server.speak(bodyOf(300_000)));
      if (status === 429) return code === 'queue_full';
      // The one that arrives first is accepted.
      slow.leave();
      slow = sendSlowly(300_000);
      return false;
    });
    assert.equal((await codeOf(await server.speak(bodyOf(1000))))[0], 200, 'small bodies are not counted');
    slow[ending]();
    assert.equal(await slow.status, ending === 'finish' ? 200 : undefined);
    await until(
      'another body is accepted',
      async () => (await codeOf(await server.speak(bodyOf(300_000))))[0] === 200,
    );
  });
}

test('a single body above the total limit is accepted alone, up to the limit per body', async () => {
  assert.equal((await codeOf(await server.speak(bodyOf(900_000))))[0], 200);
  assert.deepEqual(await codeOf(await server.speak(bodyOf(4_000_000))), [413, 'body_too_large']);
});

test('unlimited nesting is rejected', async () => {
  for (const body of ['['.repeat(3_000_000), `{"text": ${'{"a":'.repeat(600_000)}`]) {
    assert.deepEqual(await codeOf(await server.speak(body)), [400, 'invalid_body']);
  }
});
