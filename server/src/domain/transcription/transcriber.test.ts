import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everythingOf } from '../../../test/support/transcription/loudness-asr.ts';
import { ApiError } from '../../errors.ts';
import type { AsrEvent, AsrTask, AsrWorkers } from './pipeline/asr-task.ts';
import { Transcriber } from './transcriber.ts';
import type { TranscribeRequest } from './transcription-service.ts';

const REQUEST: TranscribeRequest = {
  path: '/recording',
  model: 'transcribe-1',
  language: undefined,
  prompt: undefined,
  vocabulary: ['Mynah'],
  speakers: undefined,
};
const SETTINGS = { asrMinSeconds: 0.1, asrMaxSeconds: 100, asrQueueMax: 2, ffmpegPath: '/opt/ffmpeg' };
const LOST = new ApiError('engine_failed', 'It died.');

function segment(text: string, startSeconds: number): AsrEvent {
  const endSeconds = startSeconds + 1;
  return { type: 'segment', text, startSeconds, endSeconds, words: [], language: 'en', confidence: 0.9 };
}
const progress = (processedSeconds: number): AsrEvent => ({
  type: 'progress',
  processedSeconds,
  fraction: 0.5,
});
const END: AsrEvent = { type: 'end', durationSeconds: 9 };

/** Workers that follow a script: for each job what they say, and how they end. */
class ScriptedWorkers implements AsrWorkers {
  readonly jobs: AsrTask[] = [];
  readonly #scripts: (AsrEvent | Error)[][];

  constructor(...scripts: (AsrEvent | Error)[][]) {
    this.#scripts = scripts;
  }

  async *transcribe(job: AsrTask): AsyncGenerator<AsrEvent> {
    this.jobs.push(job);
    for (const step of this.#scripts[Math.min(this.jobs.length, this.#scripts.length) - 1]!) {
      if (step instanceof Error) throw step;
      yield step;
    }
  }
}

function transcribe(workers: AsrWorkers, request = REQUEST) {
  const transcriber = new Transcriber({ workers, settings: SETTINGS });
  return everythingOf(transcriber.transcribe(request, new AbortController().signal));
}

test('segments are told as they come, and the whole at the end', async () => {
  const workers = new ScriptedWorkers([
    segment('One.', 0),
    progress(2),
    segment('Two.', 3),
    progress(9),
    END,
  ]);
  const events = await transcribe(workers);
  assert.deepEqual(
    events.map(({ type }) => type),
    ['segment', 'progress', 'segment', 'progress', 'finished'],
  );
  const last = events.at(-1)!;
  assert.ok(last.type === 'finished');
  assert.equal(last.transcript.text, 'One. Two.');
  assert.equal(last.transcript.durationSeconds, 9);
  assert.equal(last.transcript.language, 'en');
  assert.deepEqual(workers.jobs[0]?.hotwords, ['Mynah']);
  assert.equal(workers.jobs[0]?.maxSeconds, 100);
  assert.equal(workers.jobs[0]?.ffmpegPath, '/opt/ffmpeg');
});

test('when a worker dies, another goes on from where everything was told', async () => {
  const workers = new ScriptedWorkers(
    [segment('One.', 0), progress(2), segment('Lost.', 3), LOST],
    [segment('Two.', 3), progress(5), END],
  );
  const events = await transcribe(workers);
  assert.equal(workers.jobs[1]?.startSeconds, 2);
  const last = events.at(-1)!;
  assert.ok(last.type === 'finished');
  assert.equal(last.transcript.text, 'One. Two.');
});

test('a recording that kills every worker is given up', async () => {
  const workers = new ScriptedWorkers([progress(2), LOST], [LOST]);
  await assert.rejects(transcribe(workers), { code: 'engine_failed' });
  assert.equal(workers.jobs.length, 3);
});

test('what a client did wrong is not tried again', async () => {
  const workers = new ScriptedWorkers([new ApiError('invalid_audio', 'Nothing.')]);
  await assert.rejects(transcribe(workers), { code: 'invalid_audio' });
  assert.equal(workers.jobs.length, 1);
});

test('work that is resumed keeps what was heard, and its language', async () => {
  const earlier = { text: 'Eins.', startSeconds: 0, endSeconds: 1, words: [], language: 'de', confidence: 1 };
  const workers = new ScriptedWorkers([segment('Zwei.', 4), progress(9), END]);
  const events = await transcribe(workers, {
    ...REQUEST,
    resume: { segments: [earlier], processedSeconds: 3 },
  });
  assert.equal(workers.jobs[0]?.startSeconds, 3);
  assert.equal(workers.jobs[0]?.language, 'de');
  const last = events.at(-1)!;
  assert.ok(last.type === 'finished');
  assert.equal(last.transcript.text, 'Eins. Zwei.');
});

test('more recordings than the limit are refused, and leaving makes room', async () => {
  const transcriber = new Transcriber({
    workers: new ScriptedWorkers([progress(1), END]),
    settings: SETTINGS,
  });
  const signal = new AbortController().signal;
  const open = [0, 1].map(() => transcriber.transcribe(REQUEST, signal));
  for (const work of open) await work.next();
  await assert.rejects(transcriber.transcribe(REQUEST, signal).next(), { code: 'queue_full' });
  await open[0]!.return(undefined);
  assert.equal((await transcriber.transcribe(REQUEST, signal).next()).done, false);
});
