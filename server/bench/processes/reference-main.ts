import { createRequire } from 'node:module';
import { join } from 'node:path';
import { joinSamples } from '../../src/audio/pcm.ts';
import type { ReferenceCall, ReferenceCost } from './reference.ts';
import { serveCalls } from './rpc-process.ts';

/** Entry point of a process that runs `kokoro-js` as shown in its README. */

interface KokoroJs {
  readonly KokoroTTS: {
    from_pretrained(repository: string, options: { dtype: 'q8'; device: 'cpu' }): Promise<KokoroTts>;
  };
  readonly TextSplitterStream: new () => { push(...texts: string[]): void; close(): void };
}

interface KokoroTts {
  generate(text: string, options: { voice: string }): Promise<RawAudio>;
  stream(
    splitter: InstanceType<KokoroJs['TextSplitterStream']>,
    options: { voice: string },
  ): AsyncIterable<{ readonly audio: RawAudio }>;
}

interface RawAudio {
  readonly audio: Float32Array;
  readonly sampling_rate: number;
}

interface Transformers {
  readonly env: { allowRemoteModels: boolean; localModelPath: string };
}

const VOICE = { voice: 'af_heart' };

let kokoroJs: KokoroJs | undefined;
let tts: KokoroTts | undefined;

serveCalls<ReferenceCall, ReferenceCost>(async (call) => {
  if (call.type === 'speak') return measure(call.method === 'stream' ? stream : generate, call.text);
  const fromPackage = createRequire(join(call.packageFolder, 'package.json'));
  kokoroJs = fromPackage('kokoro-js') as KokoroJs;
  const { env } = fromPackage('@huggingface/transformers') as Transformers;
  env.allowRemoteModels = false;
  env.localModelPath = call.modelsFolder;
  tts = await kokoroJs.KokoroTTS.from_pretrained(call.repository, { dtype: 'q8', device: 'cpu' });
  return {
    firstSamplesMs: 0,
    cpuSeconds: 0,
    audioSeconds: 0,
    audio: { samples: joinSamples([]), sampleRateHz: 0 },
  };
});

async function measure(
  speak: (text: string) => AsyncIterable<RawAudio>,
  text: string,
): Promise<ReferenceCost> {
  const startedAtMs = performance.now();
  const cpuBefore = process.cpuUsage();
  let firstSamplesMs: number | undefined;
  const parts: Float32Array[] = [];
  let sampleRateHz = 0;
  for await (const { audio, sampling_rate } of speak(text)) {
    firstSamplesMs ??= performance.now() - startedAtMs;
    parts.push(audio);
    sampleRateHz = sampling_rate;
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  if (firstSamplesMs === undefined) throw new Error('kokoro-js returned no samples.');
  const audio = { samples: joinSamples(parts), sampleRateHz };
  const audioSeconds = audio.samples.length / sampleRateHz;
  return { firstSamplesMs, cpuSeconds: (user + system) / 1e6, audioSeconds, audio };
}

async function* generate(text: string): AsyncGenerator<RawAudio> {
  yield await tts!.generate(text, VOICE);
}

async function* stream(text: string): AsyncGenerator<RawAudio> {
  const splitter = new kokoroJs!.TextSplitterStream();
  splitter.push(text);
  // With a string instead, the stream does not end after its last sentence.
  splitter.close();
  for await (const { audio } of tts!.stream(splitter, VOICE)) yield audio;
}
