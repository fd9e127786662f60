import assert from 'node:assert/strict';
import { test } from 'node:test';

// Locale data that a formatter needs stays in memory: 4 MB for names of languages alone.
test('neither the start nor English speech creates an Intl formatter', async () => {
  const created: string[] = [];
  const { DisplayNames, Segmenter } = Intl;
  const record = <Class extends typeof DisplayNames | typeof Segmenter>(recorded: Class): Class =>
    new Proxy(recorded, {
      construct(target, args: object[]): object {
        created.push(recorded.name);
        return Reflect.construct(target, args);
      },
    });
  Object.assign(Intl, { DisplayNames: record(DisplayNames), Segmenter: record(Segmenter) });
  // Modules are loaded after the constructors are replaced.
  const { startTestServer } = await import('../../support/servers/http-server.ts');
  const server = await startTestServer();
  try {
    const response = await fetch(`${server.url}/v1/tts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'Hello there.', format: 'pcm' }),
    });
    assert.equal(response.status, 200);
    await response.arrayBuffer();
    assert.deepEqual(created, []);
    const { languageName } = await import('../../../src/domain/transcription/language-hint.ts');
    languageName('en');
    assert.deepEqual(created, ['DisplayNames'], 'the recorder works');
  } finally {
    Object.assign(Intl, { DisplayNames, Segmenter });
    await server.close();
  }
});
