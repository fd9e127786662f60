// Starts a server, speaks one English sentence and writes the names of the Intl formatters that were created, as JSON:
// until then, and after one was created on purpose. A process of its own, since modules create their formatter once.

const created: string[] = [];
const record = <Class extends typeof Intl.DisplayNames | typeof Intl.Segmenter>(recorded: Class): Class =>
  new Proxy(recorded, {
    construct(target, args: object[]): object {
      created.push(recorded.name);
      return Reflect.construct(target, args);
    },
  });
Object.assign(Intl, { DisplayNames: record(Intl.DisplayNames), Segmenter: record(Intl.Segmenter) });

// Modules are loaded after the constructors are replaced.
const { startTestServer } = await import('./http-server.ts');
const server = await startTestServer();
const response = await fetch(`${server.url}/v1/tts`, {
  method: 'POST',
  headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
  body: JSON.stringify({ text: 'Hello there.', format: 'pcm' }),
});
await response.arrayBuffer();
const bySpeech = [...created];
const { languageName } = await import('../../../src/domain/transcription/language-hint.ts');
languageName('en');
await server.close();
process.stdout.write(JSON.stringify({ status: response.status, bySpeech, all: created }));
