import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect } from '../../../test/support/transcription/loudness-asr.ts';
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
const SETTINGS = {
  asrMinSeconds: 0.1,
  asrMaxSeconds: 100,
  asrMaxSamples: 1e9,
  asrMaxCpuSeconds: 1000,
  asrQueueMax: 2,
  ffmpegPath: '/opt/ffmpeg',
};
const LOST = new ApiError('engine_failed', 'The worker was lost.');

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

/** Workers with scripted results: for each task the events it emits, and optionally the error that ends it. */
class ScriptedWorkers implements AsrWorkers {
  readonly tasks: AsrTask[] = [];
  readonly #scripts: (AsrEvent | Error)[][];

  constructor(...scripts: (AsrEvent | Error)[][]) {
    this.#scripts = scripts;
  }

  async *transcribe(task: AsrTask): AsyncGenerator<AsrEvent> {
    this.tasks.push(task);
    for (const step of this.#scripts[Math.min(this.tasks.length, this.#scripts.length) - 1]!) {
      if (step instanceof Error) throw step;
      yield step;
    }
  }
}

function transcribe(workers: AsrWorkers, request = REQUEST) {
  const transcriber = new Transcriber({ workers, settings: SETTINGS });
  return collect(transcriber.transcribe(request, new AbortController().signal));
}

test('segments are emitted as they arrive, and the transcript at the end', async () => {
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
  assert.deepEqual(workers.tasks[0]?.hotwords, ['Mynah']);
  assert.equal(workers.tasks[0]?.maxSeconds, 100);
  assert.equal(workers.tasks[0]?.ffmpegPath, '/opt/ffmpeg');
});

test('when a worker dies, another continues from the last progress', async () => {
  const workers = new ScriptedWorkers(
    [segment('One.', 0), progress(2), segment('Lost.', 3), LOST],
    [segment('Two.', 3), progress(5), END],
  );
  const events = await transcribe(workers);
  assert.equal(workers.tasks[1]?.startSeconds, 2);
  const last = events.at(-1)!;
  assert.ok(last.type === 'finished');
  assert.equal(last.transcript.text, 'One. Two.');
});

test('a recording that kills every worker fails', async () => {
  const workers = new ScriptedWorkers([progress(2), LOST], [LOST]);
  await assert.rejects(transcribe(workers), { code: 'engine_failed' });
  assert.equal(workers.tasks.length, 3);
});

test('an error of the client is not retried', async () => {
  const workers = new ScriptedWorkers([new ApiError('invalid_audio', 'Nothing.')]);
  await assert.rejects(transcribe(workers), { code: 'invalid_audio' });
  assert.equal(workers.tasks.length, 1);
});

test('a resumed transcription retains the earlier segments and their language', async () => {
  const earlier = { text: 'Eins.', startSeconds: 0, endSeconds: 1, words: [], language: 'de', confidence: 1 };
  const workers = new ScriptedWorkers([segment('Zwei.', 4), progress(9), END]);
  const events = await transcribe(workers, {
    ...REQUEST,
    resume: { segments: [earlier], processedSeconds: 3 },
  });
  assert.equal(workers.tasks[0]?.startSeconds, 3);
  assert.equal(workers.tasks[0]?.language, 'de');
  const last = events.at(-1)!;
  assert.ok(last.type === 'finished');
  assert.equal(last.transcript.text, 'Eins. Zwei.');
});

test('recordings beyond the limit are rejected, and a finished one frees its place', async () => {
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
