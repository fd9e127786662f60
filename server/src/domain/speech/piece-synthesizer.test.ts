import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SpeechPart, Utterance } from '../engines/tts-engine.ts';
import { WorkerLostError } from '../engines/worker-lost-error.ts';
import { TYPICAL_PAUSES } from './piece-pause.ts';
import {
  type PieceEvent,
  type PieceSynthesisOptions,
  type PlannedPiece,
  synthesizePieces,
} from './piece-synthesizer.ts';
import type { SpeakOptions, SpeechWorkers } from './speech-workers.ts';

const PART: SpeechPart = { samples: new Float32Array(240), sampleRateHz: 24000 };

function planned(index: number, text: string, changes: Partial<PlannedPiece['piece']> = {}): PlannedPiece {
  const words = [{ text, start: 0, end: text.length, before: '', after: '.' }];
  return {
    piece: { index, words, cues: [], boundary: 'sentence', start: 0, end: text.length, ...changes },
    plan: {
      engine: 'tone',
      voice: { kind: 'named', name: 'a' },
      language: 'en-US',
      voiceLufs: -20,
      pauses: TYPICAL_PAUSES,
    },
    source: { text, start: 0 },
  };
}

function setup(speak: (text: string, attempt: number, options: SpeakOptions) => AsyncIterable<SpeechPart>) {
  const started: string[] = [];
  const utterances: Utterance[] = [];
  const workers: SpeechWorkers = {
    async *speak(_engine, utterance, options) {
      const text = utterance.words[0]!.text;
      started.push(text);
      utterances.push(utterance);
      yield* speak(text, started.filter((other) => other === text).length, options);
    },
  };
  const abort = new AbortController();
  const options: PieceSynthesisOptions = {
    speed: 1,
    seed: 7,
    isContinuous: true,
    accountId: 'a',
    signal: abort.signal,
  };
  const runPieces = (pieces: readonly PlannedPiece[], changes: Partial<PieceSynthesisOptions> = {}) =>
    synthesizePieces(workers, pieces[Symbol.iterator](), { ...options, ...changes });
  const run = (texts: readonly string[]) => runPieces(texts.map((text, index) => planned(index, text)));
  return { run, runPieces, workers, options, started, utterances, abort };
}

async function* parts(count: number): AsyncGenerator<SpeechPart> {
  for (let index = 0; index < count; index++) yield { ...PART };
}

function name(event: PieceEvent): string {
  return `${event.piece.words[0]!.text} ${event.kind}`;
}

async function collect(events: AsyncIterable<PieceEvent>): Promise<string[]> {
  const names: string[] = [];
  for await (const event of events) names.push(name(event));
  return names;
}

test('the events of pieces are in order, each piece with its end', async () => {
  const { run } = setup(() => parts(2));
  assert.deepEqual(await collect(run(['a', 'b'])), [
    'a audio',
    'a audio',
    'a end',
    'b audio',
    'b audio',
    'b end',
  ]);
});

test('a delayed piece starts when its delay ends, or when it is needed', async () => {
  const { runPieces, started } = setup(() => parts(2));
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const pieces = ['a', 'b'].map((text, index) => planned(index, text));
  const events = runPieces(pieces, { delayPiece: () => ({ ended, end }) });
  await events.next();
  assert.deepEqual(started, ['a']);
  assert.deepEqual((await collect(events)).slice(1), ['a end', 'b audio', 'b audio', 'b end']);
});

test('one piece is synthesized ahead, and only after the first audio', async () => {
  const { run, started } = setup(() => parts(3));
  const events = run(['a', 'b', 'c']);
  assert.equal(name((await events.next()).value as PieceEvent), 'a audio');
  assert.deepEqual(started, ['a', 'b']);
  await events.next();
  await events.next();
  assert.deepEqual(started, ['a', 'b']);
  await events.return(undefined);
});

test('a worker lost before the first audio is retried once', async () => {
  const { run, started } = setup((_, attempt) => {
    if (attempt === 1) throw new WorkerLostError('killed');
    return parts(1);
  });
  assert.deepEqual(await collect(run(['a'])), ['a audio', 'a end']);
  assert.deepEqual(started, ['a', 'a']);
});

test('a worker lost again and again before the first audio is an error', async () => {
  const { run, started } = setup(() => {
    throw new WorkerLostError('killed');
  });
  await assert.rejects(collect(run(['a'])), WorkerLostError);
  assert.equal(started.length, 4);
});

test('a slow reader does not make its next piece urgent', async () => {
  const dueAtMs: number[] = [];
  const { run } = setup((_text, _attempt, options) => {
    dueAtMs.push(options.dueAtMs);
    return parts(2);
  });
  const events = run(['a', 'b', 'c']);
  await events.next();
  await sleep(400);
  const resumedAtMs = Date.now();
  for (let count = 0; count < 3; count++) await events.next();
  assert.equal(dueAtMs.length, 3);
  assert.ok(dueAtMs[2]! > resumedAtMs, `due ${resumedAtMs - dueAtMs[2]!} ms before it was read`);
  await events.return(undefined);
});

test('an utterance is in synthesis until the worker has finished it, not until its audio is read', async () => {
  const open: string[] = [];
  const { runPieces } = setup((_text, _attempt, options) => {
    options.onFinished?.();
    return parts(3);
  });
  const onUtterance = (engine: string) => {
    open.push(engine);
    return () => void open.pop();
  };
  const events = runPieces([planned(0, 'a')], { onUtterance });
  await events.next();
  assert.deepEqual(open, []);
  await events.return(undefined);
});

test('a worker lost after the first audio is an error without a retry', async () => {
  const { run, started } = setup((text) => {
    if (text === 'b') throw new WorkerLostError('killed');
    return parts(1);
  });
  await assert.rejects(collect(run(['a', 'b'])), WorkerLostError);
  assert.deepEqual(started, ['a', 'b']);
});

test('ending the iteration aborts the synthesis', async () => {
  let signal: AbortSignal | undefined;
  const { run } = setup((_text, _attempt, options) => {
    signal = options.signal;
    return parts(5);
  });
  for await (const _ of run(['a', 'b'])) break;
  assert.equal(signal?.aborted, true);
});

test('pieces of one request have different seeds, equal in every run', async () => {
  const first = setup(() => parts(1));
  await collect(first.run(['a', 'b']));
  const second = setup(() => parts(1));
  await collect(second.run(['a', 'b']));
  const seeds = first.utterances.map((utterance) => utterance.seed);
  assert.notEqual(seeds[0], seeds[1]);
  assert.deepEqual(
    second.utterances.map((utterance) => utterance.seed),
    seeds,
  );
});

test('the first piece is latency critical; later ones only in a live session', async () => {
  const pieces = ['a', 'b', 'c'].map((text, index) => planned(index, text));
  for (const [isLive, isCritical] of [
    [false, [true, false, false]],
    [true, [true, true, true]],
  ] as const) {
    const { runPieces, utterances } = setup(() => parts(1));
    await collect(runPieces(pieces, { isLive }));
    assert.deepEqual(
      utterances.map(({ isLatencyCritical }) => isLatencyCritical),
      isCritical,
    );
  }
});

test('an utterance gets the loudness of its voice and the level above which peaks are limited', async () => {
  const [typical] = [planned(1, 'b')].map((piece) => ({
    ...piece,
    plan: { ...piece.plan, isLoudnessTypical: true as const },
  }));
  const pieces = [planned(0, 'a'), typical!];
  const loudnessOf = async (loudness: PieceSynthesisOptions['loudness']) => {
    const { runPieces, utterances } = setup(() => parts(1));
    await collect(runPieces(pieces, { loudness }));
    return utterances.map((utterance) => utterance.loudness);
  };
  // A gain of 4 dB to the target, and a ceiling of -1 dBTP.
  const expected = { targetLufs: -20, ceilingDbfs: -5 };
  assert.deepEqual(await loudnessOf({ targetLufs: -16, volumeDb: 0 }), [expected, undefined]);
  assert.deepEqual(await loudnessOf({ targetLufs: -16, volumeDb: 6 }), [expected, undefined]);
  assert.deepEqual(await loudnessOf({ targetLufs: -16, volumeDb: -6 }), [
    { ...expected, ceilingDbfs: 1 },
    undefined,
  ]);
  assert.deepEqual(await loudnessOf(undefined), [undefined, undefined]);
});

test('the end of a piece comes with the next piece, but not in a live session, which may wait for it', async () => {
  const pieces = ['a', 'b'].map((text, index) => planned(index, text));
  for (const [isLive, following] of [
    [false, [pieces[1]!.piece, undefined]],
    [true, [undefined, undefined]],
  ] as const) {
    const { runPieces } = setup(() => parts(1));
    const found: unknown[] = [];
    for await (const event of runPieces(pieces, { isLive })) {
      if (event.kind === 'end') found.push(event.following);
    }
    assert.deepEqual(found, following);
  }
});

test('a piece ends before an error of the next one surfaces', async () => {
  const { workers, options } = setup(() => parts(1));
  function* pieces(): Generator<PlannedPiece> {
    yield planned(0, 'a');
    throw new Error('cannot plan');
  }
  const kinds: string[] = [];
  await assert.rejects(async () => {
    for await (const event of synthesizePieces(workers, pieces(), options)) kinds.push(event.kind);
  }, /cannot plan/);
  assert.deepEqual(kinds, ['audio', 'end']);
});

test('an utterance has at most three preceding words as context', async () => {
  const { runPieces, utterances } = setup(() => parts(1));
  const many = 'one two three four five six seven eight'.split(' ');
  const words = many.map((text) => ({ text, start: 0, end: 1, before: '', after: '' }));
  await collect(runPieces([planned(0, 'a', { words }), planned(1, 'b'), planned(2, 'c')]));
  const before = utterances.map((utterance) => utterance.precedingWords?.map((word) => word.text).join(' '));
  assert.deepEqual(before, [undefined, 'six seven eight', 'b']);
});

const WITHOUT_CONTEXT: readonly [
  name: string,
  pieces: readonly PlannedPiece[],
  changes?: Partial<PieceSynthesisOptions>,
][] = [
  ['a request for independent pieces', [planned(0, 'a'), planned(1, 'b')], { isContinuous: false }],
  ['a new paragraph', [planned(0, 'a', { boundary: 'paragraph' }), planned(1, 'b')]],
  ['another speaker', [planned(0, 'a', { speaker: 0 }), planned(1, 'b', { speaker: 1 })]],
  [
    'another voice',
    [
      planned(0, 'a'),
      { ...planned(1, 'b'), plan: { ...planned(1, 'b').plan, voice: { kind: 'named', name: 'b' } } },
    ],
  ],
];
for (const [reason, pieces, changes] of WITHOUT_CONTEXT) {
  test(`${reason} has no preceding words`, async () => {
    const { runPieces, utterances } = setup(() => parts(1));
    await collect(runPieces(pieces, changes));
    assert.ok(
      utterances.length === 2 && utterances.every(({ precedingWords }) => precedingWords === undefined),
    );
  });
}
