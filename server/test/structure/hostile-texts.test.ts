import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOSTILE_TEXTS } from '../../fuzz/texts/hostile-texts.ts';
import { EngineSelector } from '../../src/domain/speech/engine-selector.ts';
import { PlanningState, planTextInSteps, type TextLimits } from '../../src/domain/speech/plan-pieces.ts';
import { VoiceAssigner } from '../../src/domain/speech/voice-assigner.ts';
import { listKokoroVoices } from '../../src/domain/voices/catalogue/kokoro-voices.ts';
import { createVoiceCatalogue } from '../../src/domain/voices/catalogue/voice-catalogue.ts';
import { ApiError } from '../../src/errors.ts';
import { textToPieces, textToPiecesInSteps } from '../../src/text/front-end/text-to-pieces.ts';
import { estimatePhonemes } from '../../src/text/normalise/spoken-words.ts';
import { TextStreamSegmenter } from '../../src/text/pieces/text-stream-segmenter.ts';
import { IS_COMPLETE_RUN } from '../support/engines/complete-run.ts';

/** The longer text has four times this length. 50000 reaches the length limit of a request. */
const LENGTH = Number(process.env.MYNAH_TEST_HOSTILE_LENGTH ?? 1500);
const isLong = process.env.MYNAH_TEST_HOSTILE_LENGTH !== undefined;
const FACTOR = 4;
/** The texts that are measured: one in this number, starting with that of the second number. CI measures all. */
const [PART_COUNT = IS_COMPLETE_RUN || isLong ? 1 : 2, PART = 0] = (process.env.MYNAH_TEST_HOSTILE_PART ?? '')
  .split(',')
  .filter(Boolean)
  .map(Number);
const MEASURED_TEXTS = HOSTILE_TEXTS.filter((_, index) => index % PART_COUNT === PART);
/** Segmentation of live text costs more: below the length limit a few texts are measured. */
const LIVE_NAMES = ['Mr.  repeated', 'St.  repeated', 'nested “” around words', 'word\\n repeated'];
const LIVE_TEXTS = (isLong ? MEASURED_TEXTS : HOSTILE_TEXTS).filter(
  ({ name }) => isLong || LIVE_NAMES.includes(name),
);
/** Linear work costs four times as much, quadratic work sixteen times. */
const COST_RATIO_MAX = 8;
/** Compilation and garbage collection are part of the measured CPU time. */
const COST_SLACK_MS = 30;
const SLICE_MAX_MS = 100;
/** Measurements are repeated before a text is reported: other processes disturb them. */
const ATTEMPTS = 4;
/** Longer than a unit that is repeated. */
const OUTCOME_SEARCH_CHARS = 60;
/** An engine synthesizes a piece in one step. The estimate of a piece is at most 300, of one word more. */
const PIECE_PHONEMES_MAX = 700;

const limits: TextLimits = {
  ssmlDepthMax: 32,
  ssmlBreakMaxSeconds: 10,
  cuesMax: 2000,
  pieceSilenceMaxSeconds: 60,
  silenceMaxSeconds: 600,
};
const voices = createVoiceCatalogue(listKokoroVoices());
const engines = new EngineSelector({ overrides: {}, bestKokoro: () => 'kokoro-fast' });
const options = {
  normalize: true,
  cueStyle: 'both',
  chunkLength: 300,
  minChunkLength: 50,
  firstPieceLength: 60,
} as const;

function createAssigner(): VoiceAssigner {
  return new VoiceAssigner({
    voices,
    engines,
    defaultVoice: 'af_heart',
    request: { model: 's1', voice: undefined, language: undefined },
  });
}

interface Cost {
  /** The code of the error if the text is refused. */
  readonly refusal: string | undefined;
  readonly cpuMs: number;
  readonly sliceMs: number;
  readonly phonemes: number;
  readonly silenceSeconds: number;
}

/** Runs steps, and calls a function between them. Returns the result of the last one. */
function runSteps<Result>(steps: Generator<unknown, Result>, between = () => {}): Result {
  let step = steps.next();
  for (; !step.done; step = steps.next()) between();
  return step.value;
}

/** What the HTTP process does with a text: planning, then the pieces in steps with their cues. */
function measure(text: string): Cost {
  const assigner = createAssigner();
  let sliceMs = 0;
  let cpuMs = 0;
  let phonemes = 0;
  let silenceSeconds = 0;
  let refusal: string | undefined;
  let started = process.cpuUsage();
  const endSlice = () => {
    const now = process.cpuUsage();
    const sliceCpuMs = (now.user + now.system - started.user - started.system) / 1000;
    sliceMs = Math.max(sliceMs, sliceCpuMs);
    cpuMs += sliceCpuMs;
    started = now;
  };
  try {
    const turns = runSteps(planTextInSteps(text, assigner, limits), endSlice);
    endSlice();
    const state = new PlanningState('account', limits);
    for (const { source, assignment, ssml } of turns) {
      for (const piece of textToPiecesInSteps(source.text, {
        ...options,
        language: assignment.language,
        ssml,
      })) {
        if (piece) {
          const acting = state.cues.act(piece);
          phonemes = Math.max(
            phonemes,
            piece.words.reduce((sum, word) => sum + estimatePhonemes(word), 0),
          );
          silenceSeconds += acting ? acting.leadingPauseSeconds + acting.trailingPauseSeconds : 0;
        }
        endSlice();
      }
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    refusal = error.code;
  }
  endSlice();
  return { refusal, cpuMs, sliceMs, phonemes, silenceSeconds };
}

/** What the HTTP process does with a live text before its segments are planned as above. */
function measureLive(text: string): Cost {
  const language = 'en-US';
  const verbalize = (part: string) =>
    [...textToPieces(part, { ...options, language })].flatMap(({ words }) => words);
  const segmenter = new TextStreamSegmenter({ verbalize, clauseLength: options.minChunkLength });
  let [sliceMs, cpuMs] = [0, 0];
  let started = process.cpuUsage();
  const endSlice = () => {
    const now = process.cpuUsage();
    const sliceCpuMs = (now.user + now.system - started.user - started.system) / 1000;
    sliceMs = Math.max(sliceMs, sliceCpuMs);
    cpuMs += sliceCpuMs;
    started = now;
  };
  const takeSegments = () => {
    for (;;) {
      const segment = runSteps(segmenter.nextSegmentInSteps(), endSlice);
      endSlice();
      if (segment === undefined) return;
    }
  };
  segmenter.append(text);
  takeSegments();
  segmenter.end();
  takeSegments();
  assert.equal(segmenter.bufferedLength, 0);
  return { refusal: undefined, cpuMs, sliceMs, phonemes: 0, silenceSeconds: 0 };
}

/**
 * The cost of the shorter text, with the same outcome as the longer one: where a text is cut within markup it may be
 * refused at its end, which costs less than its pieces. Undefined if there is none.
 */
function measureShort(
  generate: (length: number) => string,
  measure: (text: string) => Cost,
  long: Cost,
): Cost | undefined {
  for (let length = LENGTH; length < LENGTH + OUTCOME_SEARCH_CHARS; length++) {
    const short = measure(generate(length));
    if (short.refusal === long.refusal) return short;
  }
  return undefined;
}

/** The problem of a text in its best attempt; undefined if there is none. */
function findProblem(
  generate: (length: number) => string,
  measure: (text: string) => Cost,
): string | undefined {
  let problem: string | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const long = measure(generate(LENGTH * FACTOR));
    // A cost within the slack passes whatever the shorter text costs.
    const short = long.cpuMs > COST_SLACK_MS ? measureShort(generate, measure, long) : undefined;
    problem = undefined;
    if (short && long.cpuMs > COST_RATIO_MAX * short.cpuMs + COST_SLACK_MS)
      problem = `${short.cpuMs.toFixed()} ms for ${LENGTH} characters, ${long.cpuMs.toFixed()} ms for ${FACTOR} times as many`;
    if (long.sliceMs > SLICE_MAX_MS) problem = `a slice of ${long.sliceMs.toFixed()} ms`;
    if (long.phonemes > PIECE_PHONEMES_MAX) return `a piece of ${long.phonemes} phonemes`;
    if (long.silenceSeconds > limits.silenceMaxSeconds + 1) return `${long.silenceSeconds} s of silence`;
    if (problem === undefined) return undefined;
  }
  return problem;
}

test('there are at least 200 hostile texts, each with a name of its own', () => {
  assert.ok(HOSTILE_TEXTS.length >= 200);
  assert.equal(new Set(HOSTILE_TEXTS.map(({ name }) => name)).size, HOSTILE_TEXTS.length);
  for (const { name, generate } of HOSTILE_TEXTS) {
    const { length } = generate(20_000);
    assert.ok(length >= 18_000 && length <= 20_100, `${name}: ${length}`);
  }
});

test('the cost of every hostile text is linear in its length, in short slices and bounded pieces', () => {
  for (const { generate } of HOSTILE_TEXTS.slice(0, 40)) measure(generate(1000));
  const problems = MEASURED_TEXTS.flatMap(({ name, generate }) => {
    const problem = findProblem(generate, measure);
    return problem === undefined ? [] : [`${name}: ${problem}`];
  });
  assert.deepEqual(problems, []);
});

test('so is the cost of segmentation when it is a live text', () => {
  for (const { generate } of HOSTILE_TEXTS.slice(0, 10)) measureLive(generate(500));
  const problems = LIVE_TEXTS.flatMap(({ name, generate }) => {
    const problem = findProblem(generate, measureLive);
    return problem === undefined ? [] : [`${name}: ${problem}`];
  });
  assert.deepEqual(problems, []);
});

test('a text with too many cues is refused before synthesis, in every notation', () => {
  const assigner = createAssigner();
  for (const cue of ['[sad]', '(sad)', '（sad）', '【sad】', '[sad] a ']) {
    assert.throws(
      () => runSteps(planTextInSteps(cue.repeat(limits.cuesMax + 1), assigner, limits)),
      (error) => error instanceof ApiError && error.code === 'too_many_cues',
    );
  }
  const turns = runSteps(planTextInSteps('[sad] a '.repeat(limits.cuesMax), assigner, limits));
  assert.equal(turns.length, 1);
});
