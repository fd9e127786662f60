import type { Insertion } from '../../src/domain/engines/tts-engine.ts';
import { VOCAL_SOUNDS } from '../../src/domain/engines/vocal-sound.ts';
import { openSpeechHost } from '../../test/support/workers/engine-context.ts';
import { type BreakCase, findBreakLeaks } from './break-leaks.ts';

const VOICES = ['af_heart', 'af_bella', 'am_adam', 'am_michael', 'bf_emma', 'bm_george', 'am_puck'] as const;
const TEXTS = [
  'I am here with you.| She left.',
  'I knew it.| Now we have to go.',
  'Wait a moment,| there is someone at the door.',
  'It was late.| Everyone had gone home.',
  'Listen to me.| Stop running away.',
  'He paused,| then he laughed.',
  'Is that you?| Come in.',
  'We won!| Let us celebrate.',
  'The answer is| forty two.',
  'I wanted to say| thank you.',
  'Nobody knows.| Perhaps nobody cares.',
] as const;
const CONTENTS: readonly Insertion['content'][] = [
  { kind: 'pause', seconds: 0.4 },
  { kind: 'pause', seconds: 1 },
  ...VOCAL_SOUNDS.map((sound) => ({ kind: 'sound', sound, intensity: 1 }) as const),
];
/** Each text and voice is tried with this many contents, in turn. */
const CONTENTS_PER_TEXT = 4;

/** Counts insertions with speech on their wrong side: `node server/dist/bench/acting/breaks.js [engine] [cases]`. */
export async function main([engineName = 'kokoro-fast', limit = '1000']: readonly string[]): Promise<void> {
  const engine = await openSpeechHost().engine(engineName);
  const cases: BreakCase[] = VOICES.flatMap((voice) =>
    TEXTS.flatMap((text) => Array.from({ length: CONTENTS_PER_TEXT }, () => ({ voice, text }))),
  )
    .map((testCase, index) => ({ ...testCase, content: CONTENTS[index % CONTENTS.length]! }))
    .slice(0, Number(limit));
  let leaking = 0;
  for (const testCase of cases) {
    const leaks = await findBreakLeaks(engine, testCase);
    if (leaks.length > 0) leaking++;
    for (const { side, milliseconds, decibels } of leaks) {
      const inserted = testCase.content.kind === 'pause' ? 'pause' : testCase.content.sound;
      process.stdout.write(
        `${testCase.voice} "${testCase.text}" ${inserted}: ${milliseconds.toFixed(0)} ms ${side}, ${decibels.toFixed(0)} dB\n`,
      );
    }
  }
  process.stdout.write(`${leaking} of ${cases.length} insertions leak\n`);
  await engine.close();
}

if (process.argv[1]?.endsWith('breaks.js')) await main(process.argv.slice(2));
