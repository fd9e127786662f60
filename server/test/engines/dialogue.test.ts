import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { encodeWavFile } from '../../src/audio/encode/wav.ts';
import { joinSamples } from '../../src/audio/pcm.ts';
import { ASR_SAMPLE_RATE_HZ } from '../../src/domain/engines/asr-engine.ts';
import type { AsrTask } from '../../src/domain/transcription/pipeline/asr-task.ts';
import { transcribeRecording } from '../../src/domain/transcription/pipeline/transcribe-recording.ts';
import { assignSpeakers } from '../../src/domain/transcription/speaker-turns.ts';
import type { TranscriptSegment } from '../../src/domain/transcription/transcription-service.ts';
import { synthesizeForAsr } from '../support/audio/synthesized-audio.ts';
import { openTranscriptionHost } from '../support/workers/engine-context.ts';

const TURNS = [
  { voice: 'am_michael', text: 'Good morning, I would like to buy a ticket for the evening train.' },
  { voice: 'af_bella', text: 'Of course, do you want to travel in the first or in the second class?' },
  { voice: 'am_michael', text: 'The second class is fine, and a seat beside the window if you have one.' },
  { voice: 'af_bella', text: 'There is one left in the last car, right behind the dining room.' },
  { voice: 'am_michael', text: 'That sounds wonderful, thank you very much for your help today.' },
] as const;
const GAP_SECONDS = 0.45;

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mynah-dialogue-'));
});
after(() => rm(folder, { recursive: true }));

test('diarization separates two alternating speakers, with the words of each', async () => {
  const gap = new Float32Array(GAP_SECONDS * ASR_SAMPLE_RATE_HZ);
  const parts: Float32Array[] = [];
  for (const { voice, text } of TURNS) parts.push((await synthesizeForAsr(text, { voice })).samples, gap);
  const path = join(folder, 'dialogue.wav');
  await writeFile(path, encodeWavFile({ samples: joinSamples(parts), sampleRateHz: ASR_SAMPLE_RATE_HZ }));
  const context = openTranscriptionHost().contextFor({ isLive: false, input: (async function* () {})() });
  const task: AsrTask = {
    source: { kind: 'file', path },
    engines: ['moonshine-base'],
    language: 'en',
    wantsSpeakerEmbeddings: true,
  };
  const segments: TranscriptSegment[] = [];
  for await (const event of transcribeRecording(context, task, new AbortController().signal)) {
    if (event.type === 'segment') segments.push(event);
  }
  const { speakerTurns = [] } = assignSpeakers(segments, { min: 1, max: 32 });
  assert.deepEqual(
    speakerTurns.map(({ speaker }) => speaker),
    [0, 1, 0, 1, 0],
    JSON.stringify(speakerTurns),
  );
  for (const [index, { text }] of TURNS.entries()) {
    const lastWord = /(\w+)\W*$/.exec(text)![1]!;
    // The recognizer may write "to-day".
    assert.match(speakerTurns[index]!.text.replaceAll('-', ''), new RegExp(`${lastWord}\\W*$`));
  }
});
