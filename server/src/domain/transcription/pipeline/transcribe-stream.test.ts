import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  audioOf,
  collect,
  fakeTaskContext,
  LoudnessEngine,
} from '../../../../test/support/transcription/loudness-asr.ts';
import type { AsrOptions, AsrResult } from '../../engines/asr-engine.ts';
import type { AsrEvent, AsrInput } from './asr-task.ts';
import { transcribeStream } from './transcribe-stream.ts';

const MESSAGE_SAMPLES = 1600;

/** An engine whose inferences end when the test permits it, or with the abort of their signal. */
class HeldEngine extends LoudnessEngine {
  /** Ends the inferences in progress. */
  release = () => {};
  aborted = 0;
  isHolding = false;

  override async transcribe(samples: Float32Array, options: AsrOptions): Promise<AsrResult> {
    const { signal } = options;
    if (this.isHolding) {
      await new Promise<void>((resolve) => {
        this.release = resolve;
        signal.addEventListener('abort', () => resolve());
      });
    }
    if (signal.aborted) this.aborted++;
    return super.transcribe(samples, options);
  }
}

const eventLoopTurns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
};

/** Messages of 0.1 s that arrive one after the other, with time for an inference between them. */
async function* paced(audio: Float32Array, onMessage = (_index: number) => {}): AsyncGenerator<AsrInput> {
  for (let at = 0; at < audio.length; at += MESSAGE_SAMPLES) {
    onMessage(at / MESSAGE_SAMPLES);
    yield audio.subarray(at, at + MESSAGE_SAMPLES);
    await eventLoopTurns(10);
  }
}

function transcribe(engine: LoudnessEngine, input: AsyncIterable<AsrInput>): Promise<AsrEvent[]> {
  const task = { source: { kind: 'stream' }, engines: [engine.name], language: 'en' } as const;
  return collect(transcribeStream(fakeTaskContext([engine], input), task, new AbortController().signal));
}

const textsOf = (events: readonly AsrEvent[]) =>
  events.flatMap((event) => (event.type === 'segment' ? [event.text] : []));

test('a segment is transcribed during the pause that ends it, once', async () => {
  const engine = new LoudnessEngine('english', ['en']);
  let finalsAtPauseEnd = 0;
  const finals = () => engine.requests.filter(({ options }) => options.wordTimes).length;
  const input = paced(audioOf([2, 0.2], [2, 0]), (message) => {
    // Half a second of the pause has arrived.
    if (message === 25) finalsAtPauseEnd = finals();
  });
  const events = await transcribe(engine, input);
  assert.deepEqual(textsOf(events), ['20/0 20/1 20/2 20/3']);
  assert.equal(finalsAtPauseEnd, 1);
  assert.equal(finals(), 1);
});

test('speech after a short pause continues the segment', async () => {
  const engine = new LoudnessEngine('english', ['en']);
  const events = await transcribe(engine, paced(audioOf([2, 0.2], [0.4, 0], [1, 0.2], [1, 0])));
  const [text, ...more] = textsOf(events);
  assert.ok((text?.split(' ').length ?? 0) >= 6, text);
  assert.deepEqual(more, []);
});

test('a segment that ends during its transcription waits for it', async () => {
  const engine = new HeldEngine('english', ['en']);
  const input = paced(audioOf([2, 0.2], [2, 0]), (message) => {
    if (message === 22) engine.isHolding = true;
  });
  const timer = setInterval(() => engine.release(), 5);
  const events = await transcribe(engine, input).finally(() => clearInterval(timer));
  assert.deepEqual(textsOf(events), ['20/0 20/1 20/2 20/3']);
  assert.equal(engine.requests.filter(({ options }) => options.wordTimes).length, 1);
});

test('audio is read during a partial, and the end of the segment stops it', async () => {
  const engine = new HeldEngine('english', ['en']);
  // The partials never end by themselves.
  const input = paced(audioOf([2, 0.2], [1, 0]), (message) => {
    engine.isHolding = message < 21;
  });
  const events = await transcribe(engine, input);
  assert.deepEqual(textsOf(events), ['20/0 20/1 20/2 20/3']);
  assert.equal(engine.aborted, 1);
});

test('a failed inference ends the stream', async () => {
  const engine = new LoudnessEngine('english', ['en']);
  engine.fault = () => {
    throw new Error('broken');
  };
  await assert.rejects(transcribe(engine, paced(audioOf([2, 0.2], [1, 0]))), /broken/);
});

test('audio that arrives faster than it is spoken gives the same segments', async () => {
  const engine = new LoudnessEngine('english', ['en']);
  const audio = audioOf([2, 0.2], [1, 0], [2, 0.3], [1, 0]);
  async function* input(): AsyncGenerator<AsrInput> {
    for (let at = 0; at < audio.length; at += MESSAGE_SAMPLES) yield audio.subarray(at, at + MESSAGE_SAMPLES);
  }
  assert.deepEqual(textsOf(await transcribe(engine, input())), [
    '20/0 20/1 20/2 20/3',
    '30/0 30/1 30/2 30/3',
  ]);
});
