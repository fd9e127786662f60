import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IS_COMPLETE_RUN } from '../../../../../test/support/engines/complete-run.ts';
import { useSpeechHost } from '../../../../../test/support/workers/shared-speech-host.ts';
import { LoudnessMeter } from '../../../../audio/dsp/loudness.ts';
import { textToPieces } from '../../../../text/front-end/text-to-pieces.ts';

const TEXTS = [
  'She told the children about the whale.',
  'The kettle had just begun to whistle when the lights went out.',
];
// The stock decoder is slower than real time.
const UTTERANCES = TEXTS.flatMap((text) =>
  ['af_heart', 'am_michael'].map((voice) => ({ text, voice })),
).slice(0, IS_COMPLETE_RUN ? undefined : 1);
const READING = {
  language: 'en-US',
  normalize: true,
  cueStyle: 'both',
  chunkLength: 150,
  minChunkLength: 50,
  firstPieceLength: Number.POSITIVE_INFINITY,
} as const;
const DIFFERENCE_MAX_LU = 0.5;

const host = useSpeechHost();

/** Mean loudness of the utterances: that of a single one differs more between decoders. */
async function measureLufs(engineName: string): Promise<number> {
  const engine = await host.engine(engineName);
  const all: number[] = [];
  for (const { text, voice } of UTTERANCES) {
    const meter = new LoudnessMeter(engine.sampleRateHz);
    const [piece] = textToPieces(text, READING);
    const utterance = {
      words: piece!.words,
      language: 'en-US',
      speed: 1,
      seed: 1,
      voice: { kind: 'named', name: voice },
    } as const;
    for await (const { samples } of engine.speak(utterance, new AbortController().signal))
      meter.process(samples);
    all.push(meter.integratedLufs());
  }
  return all.reduce((sum, lufs) => sum + lufs, 0) / all.length;
}

test('the decoders of Kokoro are equally loud', async () => {
  const fast = await measureLufs('kokoro-fast');
  const stock = await measureLufs('kokoro-stock');
  assert.ok(Math.abs(fast - stock) <= DIFFERENCE_MAX_LU, `${fast} and ${stock} LUFS`);
});
