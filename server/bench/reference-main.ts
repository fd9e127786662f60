import { createRequire } from 'node:module';
import { join } from 'node:path';
import { answerQuestions } from './asked-process.ts';
import type { ReferenceCost, ReferenceQuestion } from './reference.ts';

/** The entry of a process that speaks with `kokoro-js` the way its README shows. */

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

answerQuestions<ReferenceQuestion, ReferenceCost>(async (question) => {
  if (question.type === 'speak') return measure(question.way === 'stream' ? stream : generate, question.text);
  const fromPackage = createRequire(join(question.packageFolder, 'package.json'));
  kokoroJs = fromPackage('kokoro-js') as KokoroJs;
  const { env } = fromPackage('@huggingface/transformers') as Transformers;
  env.allowRemoteModels = false;
  env.localModelPath = question.modelsFolder;
  tts = await kokoroJs.KokoroTTS.from_pretrained(question.repository, { dtype: 'q8', device: 'cpu' });
  return { firstSamplesMs: 0, cpuSeconds: 0, audioSeconds: 0 };
});

async function measure(
  speak: (text: string) => AsyncIterable<RawAudio>,
  text: string,
): Promise<ReferenceCost> {
  const startedAtMs = performance.now();
  const cpuBefore = process.cpuUsage();
  let firstSamplesMs: number | undefined;
  let audioSeconds = 0;
  for await (const { audio, sampling_rate } of speak(text)) {
    firstSamplesMs ??= performance.now() - startedAtMs;
    audioSeconds += audio.length / sampling_rate;
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  if (firstSamplesMs === undefined) throw new Error('kokoro-js gave no samples.');
  return { firstSamplesMs, cpuSeconds: (user + system) / 1e6, audioSeconds };
}

async function* generate(text: string): AsyncGenerator<RawAudio> {
  yield await tts!.generate(text, VOICE);
}

async function* stream(text: string): AsyncGenerator<RawAudio> {
  const splitter = new kokoroJs!.TextSplitterStream();
  splitter.push(text);
  // Given a string instead, the stream waits for ever after its last sentence.
  splitter.close();
  for await (const { audio } of tts!.stream(splitter, VOICE)) yield audio;
}
