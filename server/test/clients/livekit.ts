import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { until } from '../support/real-server.ts';
import { importForeign } from './foreign-packages.ts';
import type { ClientsServer } from './server.ts';
import { startTlsProxy } from './tls-proxy.ts';

const PACKAGES = [
  '@livekit/agents-plugin-fishaudio@1.5.5',
  '@livekit/agents@1.5.5',
  '@livekit/rtc-node@0.13.31',
];

/** As much of the plugin as is called here. */
interface Plugin {
  readonly TTS: new (options: {
    apiKey: string;
    baseURL: string;
    voiceId?: string;
    model?: string;
    sampleRate?: number;
  }) => Tts;
}
interface Agents {
  initializeLogger(options: { pretty: boolean; level: string }): void;
}
interface Tts {
  stream(): Stream;
  synthesize(text: string): AsyncIterable<{ frame: Frame }>;
  on(event: 'error', listener: (event: { error: Error }) => void): void;
  close(): Promise<void>;
}
interface Stream extends AsyncIterable<symbol | { frame: Frame }> {
  readonly queue: { readonly closed: boolean; put(item: unknown): void };
  pushText(text: string): void;
  flush(): void;
  endInput(): void;
  close(): void;
}
interface Frame {
  readonly samplesPerChannel: number;
  readonly sampleRate: number;
}

/** What people do with npm `@livekit/agents-plugin-fishaudio`, on a running server. */
export function testLiveKit(server: () => ClientsServer): void {
  function testPlugin(name: string, run: (plugin: Plugin, t: TestContext) => Promise<void>): void {
    test(name, async (t) => {
      const agents = await importForeign<Agents>(t, '@livekit/agents/dist/index.js', PACKAGES);
      const entry = '@livekit/agents-plugin-fishaudio/dist/index.js';
      const plugin = await importForeign<Plugin>(t, entry, PACKAGES);
      if (agents === undefined || plugin === undefined) return;
      agents.initializeLogger({ pretty: false, level: 'silent' });
      await run(plugin, t);
    });
  }

  /** Seconds of audio of a whole stream. */
  async function listen(stream: AsyncIterable<symbol | { frame: Frame }>): Promise<number> {
    let seconds = 0;
    for await (const event of stream) {
      if (typeof event !== 'symbol') seconds += event.frame.samplesPerChannel / event.frame.sampleRate;
    }
    return seconds;
  }

  /** The plugin throws, where nobody can catch it, when audio is still on its way to a stream that was closed. */
  function dropLateAudio({ queue }: Stream): void {
    const put = queue.put.bind(queue);
    queue.put = (item) => {
      if (!queue.closed) put(item);
    };
  }

  testPlugin('sentences of an agent are spoken one after the other, on one socket', async ({ TTS }) => {
    const tts = new TTS({ apiKey: server().key, baseURL: server().url, voiceId: 'af_heart', model: 's1' });
    for (let turn = 0; turn < 2; turn++) {
      const stream = tts.stream();
      for (const token of 'Hello there. How are you today? I am fine.'.match(/\s*\S+/g) ?? [])
        stream.pushText(token);
      stream.flush();
      stream.endInput();
      assert.ok((await listen(stream)) > 2);
    }
    await tts.close();
  });

  testPlugin('the plugin’s own default voice is spoken by ours', async ({ TTS }) => {
    const tts = new TTS({ apiKey: server().key, baseURL: server().url, sampleRate: 16_000 });
    const stream = tts.stream();
    stream.pushText('Hello there.');
    stream.endInput();
    assert.ok((await listen(stream)) > 0.5);
    await tts.close();
  });

  testPlugin('an agent that is interrupted is not spoken for any more', async ({ TTS }) => {
    const tts = new TTS({ apiKey: server().key, baseURL: server().url, voiceId: 'af_heart', model: 's1' });
    const stream = tts.stream();
    for (let i = 0; i < 100; i++) stream.pushText('This sentence is one of very many that follow. ');
    stream.flush();
    await stream[Symbol.asyncIterator]().next();
    dropLateAudio(stream);
    stream.close();
    await until('nobody speaks', async () => !(await server().isSpeaking()), 10_000);
    await tts.close();
  });

  testPlugin('the plugin is told of a wrong voice and of a wrong key', async ({ TTS }) => {
    for (const { apiKey, voiceId } of [
      { apiKey: server().key, voiceId: 'nobody' },
      { apiKey: 'wrong', voiceId: 'af_heart' },
    ]) {
      const tts = new TTS({ apiKey, baseURL: server().url, voiceId });
      const errors: Error[] = [];
      tts.on('error', ({ error }) => errors.push(error));
      const stream = tts.stream();
      stream.pushText('Hello there.');
      stream.endInput();
      const seconds = await listen(stream).catch(() => 0);
      assert.equal(seconds, 0);
      await until('it is told', () => errors.length > 0, 20_000);
      await tts.close();
    }
  });

  testPlugin('a whole text is spoken through TLS', async ({ TTS }, t) => {
    const baseURL = await startTlsProxy(t, server());
    const tts = new TTS({ apiKey: server().key, baseURL, voiceId: 'af_heart', model: 's1' });
    assert.ok((await listen(tts.synthesize('Hello there. How are you?'))) > 1);
    await tts.close();
  });
}
