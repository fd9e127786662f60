import type { Insertion } from '../../src/domain/engines/tts-engine.ts';
import { VOCAL_SOUNDS } from '../../src/domain/engines/vocal-sound.ts';
import { CUES } from '../../src/domain/speech/acting/cue-table.ts';
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
  { kind: 'pause', seconds: 0.3 },
  { kind: 'pause', seconds: 0.5 },
  { kind: 'pause', seconds: 1.2 },
  ...VOCAL_SOUNDS.map((sound) => ({ kind: 'sound', sound, intensity: 1 }) as const),
];
/** Every second case is spoken with the next of these cues after the insertion. */
const CUE_NAMES = [...CUES].flatMap(([name, { kind, delivery }]) =>
  delivery !== undefined && (kind === 'emotion' || kind === 'tone') ? [name] : [],
);
/** Each text and voice is tried with this many contents, in turn. */
const CONTENTS_PER_TEXT = 4;

/**
 * Counts insertions with speech on their wrong side: `node server/dist/bench/acting/breaks.js [engine] [cases] [content]`.
 * `content` is `pause` or a vocal sound; without it each text and voice is tried with the next four contents. Every second
 * case changes the delivery at the insertion; together they use every emotion and tone.
 */
export async function main([
  engineName = 'kokoro-fast',
  limit = '1000',
  only,
]: readonly string[]): Promise<void> {
  const engine = await openSpeechHost().engine(engineName);
  const contents = only === undefined ? CONTENTS : CONTENTS.filter((content) => nameOf(content) === only);
  if (contents.length === 0) throw new Error(`No such content: ${only}.`);
  const cases: BreakCase[] = VOICES.flatMap((voice) =>
    TEXTS.flatMap((text) =>
      Array.from({ length: Math.min(CONTENTS_PER_TEXT, contents.length) }, () => ({ voice, text })),
    ),
  )
    .map((testCase, index) => ({
      ...testCase,
      content: contents[index % contents.length]!,
      cue: index % 2 === 1 ? CUE_NAMES[(index >> 1) % CUE_NAMES.length] : undefined,
    }))
    .slice(0, Number(limit));
  let leaking = 0;
  for (const testCase of cases) {
    const leaks = await findBreakLeaks(engine, testCase);
    if (leaks.length > 0) leaking++;
    for (const { side, milliseconds, decibels } of leaks) {
      process.stdout.write(
        `${testCase.voice} "${testCase.text}" ${nameOf(testCase.content)}, ${testCase.cue ?? 'neutral'}: ${milliseconds.toFixed(0)} ms ${side}, ${decibels.toFixed(0)} dB\n`,
      );
    }
  }
  process.stdout.write(`${leaking} of ${cases.length} insertions leak\n`);
  await engine.close();
}

function nameOf(content: Insertion['content']): string {
  return content.kind === 'pause' ? 'pause' : content.sound;
}

if (process.argv[1]?.endsWith('breaks.js')) await main(process.argv.slice(2));
