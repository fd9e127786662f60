import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  audioOf,
  collect,
  fakeTaskContext,
  LoudnessEngine,
} from '../../../../test/support/transcription/loudness-asr.ts';
import { toPcm16Bytes } from '../../../audio/encode/pcm16.ts';
import type { AsrEvent, AsrInput, AsrTask } from './asr-task.ts';
import { transcribeRecording } from './transcribe-recording.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mynah-transcribe-'));
});
after(() => rm(folder, { recursive: true }));

async function wavOf(samples: Float32Array, channels = 1): Promise<string> {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples.length * 2, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(16_000, 24);
  header.writeUInt32LE(channels * 32_000, 28);
  header.writeUInt16LE(channels * 2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples.length * 2, 40);
  const path = join(folder, `${samples.length}-${channels}.wav`);
  await writeFile(path, Buffer.concat([header, toPcm16Bytes(samples)]));
  return path;
}

function fakeEngines() {
  return {
    english: new LoudnessEngine('english', ['en']),
    multilingual: new LoudnessEngine('multilingual', ['en', 'fr']),
  };
}

async function transcribeAll(
  samples: Float32Array,
  task: Partial<AsrTask> = {},
  engines = fakeEngines(),
): Promise<AsrEvent[]> {
  const path = await wavOf(samples);
  const whole: AsrTask = { source: { kind: 'file', path }, engines: ['english', 'multilingual'], ...task };
  const context = fakeTaskContext([engines.english, engines.multilingual]);
  return collect(transcribeRecording(context, whole, new AbortController().signal));
}

function words(loudness: number, count: number): string {
  return Array.from({ length: count }, (_, index) => `${loudness}/${index}`).join(' ');
}

function segmentsOf(events: readonly AsrEvent[]) {
  return events.filter((event) => event.type === 'segment');
}

test('speech becomes segments with word times, and the total duration is reported', async () => {
  const events = await transcribeAll(audioOf([1, 0], [2, 0.2], [3, 0], [1, 0.3], [1, 0]));
  const [first, second, ...more] = segmentsOf(events);
  assert.equal(first?.text, words(20, 4));
  assert.equal(second?.text, words(30, 2));
  assert.deepEqual(more, []);
  assert.ok(Math.abs(first!.words[0]!.startSeconds - 1) < 0.05);
  assert.ok(Math.abs(second!.words[0]!.startSeconds - 6) < 0.05);
  assert.deepEqual(events.at(-1), { type: 'end', durationSeconds: 8, channels: 1 });
});

test('silence and a click give no text', async () => {
  assert.deepEqual(segmentsOf(await transcribeAll(audioOf([10, 0]))), []);
  assert.deepEqual(segmentsOf(await transcribeAll(audioOf([1, 0], [0.05, 0.4], [2, 0]))), []);
});

test('long speech without a pause is transcribed in segments, every word once', async () => {
  const [...segments] = segmentsOf(await transcribeAll(audioOf([0.5, 0], [61, 0.2], [0.5, 0])));
  const all = segments.flatMap((segment) => segment.words);
  assert.ok(segments.length >= 4);
  // Words of this engine start with the segment, so at each cut one may be in both segments.
  assert.ok(Math.abs(all.length - 122) <= segments.length, `${all.length}`);
  for (const [index, word] of all.slice(1).entries()) {
    assert.ok(word.startSeconds >= all[index]!.endSeconds - 0.51);
  }
});

test('a recording resumes at a reported position', async () => {
  const samples = audioOf([2, 0.2], [3, 0], [2, 0.3], [3, 0], [2, 0.4], [1, 0]);
  const whole = await transcribeAll(samples);
  const progress = whole.filter((event) => event.type === 'progress');
  const middle = progress.find(({ processedSeconds }) => processedSeconds > 4)!;
  const rest = await transcribeAll(samples, { startSeconds: middle.processedSeconds });
  assert.deepEqual(segmentsOf(rest), segmentsOf(whole).slice(1));
  assert.deepEqual(rest.at(-1), whole.at(-1));
});

test('channels are mixed, or transcribed separately and merged in order of time', async () => {
  const left = audioOf([2, 0.2], [4, 0], [2, 0.4], [2, 0]);
  const right = audioOf([3, 0], [2, 0.3], [5, 0]);
  const stereo = Float32Array.from({ length: 2 * left.length }, (_, index) =>
    index % 2 === 0 ? left[index / 2]! : right[(index - 1) / 2]!,
  );
  const source = { kind: 'file', path: await wavOf(stereo, 2) } as const;
  const context = fakeTaskContext([fakeEngines().english]);
  const transcribeStereo = async (isSplit: boolean) => {
    const task: AsrTask = { source, engines: ['english'], isSplit };
    return collect(transcribeRecording(context, task, new AbortController().signal));
  };
  const split = await transcribeStereo(true);
  assert.deepEqual(
    segmentsOf(split).map(({ channel, text }) => [channel, text]),
    [
      [0, words(20, 4)],
      [1, words(30, 4)],
      [0, words(40, 4)],
    ],
  );
  assert.deepEqual(split.at(-1), { type: 'end', durationSeconds: 10, channels: 2 });
  const mixed = segmentsOf(await transcribeStereo(false));
  assert.match(mixed[0]!.text, /^10\/0/);
  assert.equal(mixed[0]!.channel, undefined);
});

test('too short and too long recordings are rejected', async () => {
  await assert.rejects(transcribeAll(audioOf([0.5, 0.2]), { minSeconds: 1 }), { code: 'audio_too_short' });
  await assert.rejects(transcribeAll(audioOf([3, 0.2]), { maxSeconds: 2 }), { code: 'audio_too_long' });
  const engines = fakeEngines();
  await assert.rejects(transcribeAll(audioOf([90, 0], [60, 0.2]), { maxSeconds: 70 }, engines), {
    code: 'audio_too_long',
  });
  assert.equal(engines.english.requests.length, 0, 'rejected before any transcription');
});

test('the preferred engine transcribes first, and another one on low confidence', async () => {
  const engines = fakeEngines();
  const events = await transcribeAll(
    audioOf([2, 0.2], [3, 0], [2, 0.8], [3, 0], [2, 0.9], [2, 0]),
    {},
    engines,
  );
  assert.deepEqual(
    segmentsOf(events).map(({ language, text }) => [language, text]),
    [
      ['en', words(20, 4)],
      ['fr', words(80, 4)],
      ['fr', words(90, 4)],
    ],
  );
  assert.equal(engines.english.requests.length, 2);
});

test('a language given by the client is final', async () => {
  const engines = fakeEngines();
  const [segment] = segmentsOf(await transcribeAll(audioOf([2, 0.8], [1, 0]), { language: 'en' }, engines));
  assert.equal(segment?.language, 'en');
  assert.equal(engines.multilingual.requests.length, 0);
  const french = segmentsOf(await transcribeAll(audioOf([2, 0.2], [1, 0]), { language: 'fr' }, engines));
  assert.equal(french[0]?.language, 'fr');
  assert.equal(engines.multilingual.requests.length, 1);
});

test('speech in which an engine finds no text is transcribed again with more silence after it', async () => {
  const engines = fakeEngines();
  engines.english.fault = (words) => (engines.english.requests.length === 1 ? [] : words);
  const transcribe = (samples: Float32Array) =>
    transcribeAll(samples, { engines: ['english'], language: 'en' }, engines);
  const [segment] = segmentsOf(await transcribe(audioOf([2, 0.2], [1, 0])));
  assert.equal(segment?.text, words(20, 4));
  assert.equal(segment?.language, 'en');
  assert.equal(engines.english.requests.length, 2);
  engines.english.fault = () => [];
  assert.deepEqual(segmentsOf(await transcribe(audioOf([0.5, 0.2], [1, 0]))), []);
  assert.equal(engines.english.requests.length, 3, 'half a second may be no speech');
});

test('a tail that the engine omitted is transcribed again', async () => {
  const engines = fakeEngines();
  engines.english.fault = (words) => words.slice(0, 6);
  const [segment] = segmentsOf(await transcribeAll(audioOf([8, 0.2], [1, 0]), {}, engines));
  assert.equal(segment?.words.length, 16);
});

test('a repetition loop is removed', async () => {
  const engines = fakeEngines();
  engines.english.fault = (words) => Array.from({ length: 40 }, () => words[0]!);
  const [segment] = segmentsOf(await transcribeAll(audioOf([4, 0.2], [1, 0]), { language: 'en' }, engines));
  assert.ok((segment?.words.length ?? 99) <= 8);
});

test('an abort stops the task', async () => {
  const abort = new AbortController();
  const path = await wavOf(audioOf([2, 0.2], [3, 0], [2, 0.3], [3, 0]));
  const { english, multilingual } = fakeEngines();
  const task: AsrTask = { source: { kind: 'file', path }, engines: ['english', 'multilingual'] };
  await assert.rejects(async () => {
    for await (const event of transcribeRecording(
      fakeTaskContext([english, multilingual]),
      task,
      abort.signal,
    )) {
      if (event.type === 'segment') abort.abort(new Error('enough'));
    }
  }, /enough/);
  assert.equal(english.requests.length, 1);
});

test('a live stream gives partials, then segments at pauses and on flush', async () => {
  async function* input(): AsyncGenerator<AsrInput> {
    const audio = audioOf([2, 0.2], [1, 0], [2, 0.3]);
    for (let at = 0; at < audio.length; at += 1600) yield audio.subarray(at, at + 1600);
    yield 'flush';
    yield audioOf([1, 0.4]);
  }
  const { english, multilingual } = fakeEngines();
  const task: AsrTask = { source: { kind: 'stream' }, engines: ['english', 'multilingual'] };
  const context = fakeTaskContext([english, multilingual], input());
  const events = await collect(transcribeRecording(context, task, new AbortController().signal));
  const partials = events.filter((event) => event.type === 'partial');
  assert.ok(partials.length >= 2);
  assert.match(partials[0]!.text, /^20\/0/);
  assert.deepEqual(
    segmentsOf(events).map(({ text }) => text),
    [words(20, 4), words(30, 4), words(40, 2)],
  );
  assert.equal(
    events.findIndex(({ type }) => type === 'partial') < events.findIndex(({ type }) => type === 'segment'),
    true,
  );
});
