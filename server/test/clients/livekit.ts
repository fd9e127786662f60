import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { until } from '../support/servers/real-server.ts';
import type { ClientsServer } from './server.ts';
import { importThirdParty } from './third-party-packages.ts';
import { startTlsProxy } from './tls-proxy.ts';

const PACKAGES = [
  '@livekit/agents-plugin-fishaudio@1.5.5',
  '@livekit/agents@1.5.5',
  '@livekit/rtc-node@0.13.31',
];

/** The part of the plugin that the tests call. */
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

/** Tests of npm `@livekit/agents-plugin-fishaudio` against a running server. */
export function testLiveKit(server: () => ClientsServer): void {
  function testPlugin(name: string, run: (plugin: Plugin, t: TestContext) => Promise<void>): void {
    test(name, async (t) => {
      const agents = await importThirdParty<Agents>(t, '@livekit/agents/dist/index.js', PACKAGES);
      const entry = '@livekit/agents-plugin-fishaudio/dist/index.js';
      const plugin = await importThirdParty<Plugin>(t, entry, PACKAGES);
      if (agents === undefined || plugin === undefined) return;
      agents.initializeLogger({ pretty: false, level: 'silent' });
      await run(plugin, t);
    });
  }

  /** Duration in seconds of the audio of a stream. */
  async function durationOf(stream: AsyncIterable<symbol | { frame: Frame }>): Promise<number> {
    let seconds = 0;
    for await (const event of stream) {
      if (typeof event !== 'symbol') seconds += event.frame.samplesPerChannel / event.frame.sampleRate;
    }
    return seconds;
  }

  /** Works around an uncatchable exception of the plugin when audio arrives for a closed stream. */
  function dropLateAudio({ queue }: Stream): void {
    const put = queue.put.bind(queue);
    queue.put = (item) => {
      if (!queue.closed) put(item);
    };
  }

  testPlugin('consecutive sentences of an agent are synthesized over one socket', async ({ TTS }) => {
    const tts = new TTS({ apiKey: server().key, baseURL: server().url, voiceId: 'af_heart', model: 's1' });
    for (let turn = 0; turn < 2; turn++) {
      const stream = tts.stream();
      for (const token of 'Hello there. How are you today? I am fine.'.match(/\s*\S+/g) ?? [])
        stream.pushText(token);
      stream.flush();
      stream.endInput();
      assert.ok((await durationOf(stream)) > 2);
    }
    await tts.close();
  });

  testPlugin('the plugin’s default voice maps to a built-in voice', async ({ TTS }) => {
    const tts = new TTS({ apiKey: server().key, baseURL: server().url, sampleRate: 16_000 });
    const stream = tts.stream();
    stream.pushText('Hello there.');
    stream.endInput();
    assert.ok((await durationOf(stream)) > 0.5);
    await tts.close();
  });

  testPlugin('interrupting an agent stops synthesis', async ({ TTS }) => {
    const tts = new TTS({ apiKey: server().key, baseURL: server().url, voiceId: 'af_heart', model: 's1' });
    const stream = tts.stream();
    for (let i = 0; i < 100; i++) stream.pushText('This sentence is one of very many that follow. ');
    stream.flush();
    await stream[Symbol.asyncIterator]().next();
    dropLateAudio(stream);
    stream.close();
    await until('synthesis stops', async () => !(await server().isSynthesizing()));
    await tts.close();
  });

  testPlugin('an unknown voice and a wrong key are reported', async ({ TTS }) => {
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
      const seconds = await durationOf(stream).catch(() => 0);
      assert.equal(seconds, 0);
      await until('an error event', () => errors.length > 0);
      await tts.close();
    }
  });

  testPlugin('a complete text is synthesized over TLS', async ({ TTS }, t) => {
    const baseURL = await startTlsProxy(t, server());
    const tts = new TTS({ apiKey: server().key, baseURL, voiceId: 'af_heart', model: 's1' });
    assert.ok((await durationOf(tts.synthesize('Hello there. How are you?'))) > 1);
    await tts.close();
  });
}
