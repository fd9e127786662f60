import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import type { StoredVoice } from '../stored-voice.ts';
import type { VoiceStore } from '../voice-store.ts';
import { VoiceTraining } from './voice-training.ts';

/** A training that runs until its signal is aborted. The store answers renewals with `isStored`. */
function startTraining(isStored: () => boolean) {
  const voice = {
    id: 'a',
    accountId: 'acc',
    samples: [{ text: '', file: 'f' }],
    clips: [{ isPassed: true }],
  };
  const store = {
    find: async () => voice,
    change: async () => isStored(),
    renewTraining: async () => isStored(),
  } as unknown as VoiceStore; // Only these methods are called.
  let signal: AbortSignal | undefined;
  const training = new VoiceTraining({
    store,
    files: {} as never,
    refinements: { whenEnded: async () => {} },
    settings: {
      voiceTrainingMaxSeconds: 600,
      voiceClipMaxSeconds: 60,
      voiceSpeechMinSeconds: 1,
      ffmpegPath: 'ffmpeg',
    },
    transcriber: { transcribe: async () => ({ text: '', language: 'en' }) },
    reader: {
      inTurn: async (call: { readonly signal: AbortSignal }) => {
        signal = call.signal;
        if (!call.signal.aborted) await once(call.signal, 'abort');
        throw call.signal.reason;
      },
    } as never,
    onProblem: () => {},
  });
  const meterTranscript = <Result>(_: number, run: () => Promise<Result>) => run();
  training.start({ ...voice, state: 'trained' } as unknown as StoredVoice, {
    isSampled: false,
    meterTranscript,
  });
  return { training, signal: () => signal };
}

test('a training stops when another server has deleted its voice', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  let isStored = true;
  const { training, signal } = startTraining(() => isStored);
  await new Promise(setImmediate);
  context.mock.timers.tick(60_000);
  await new Promise(setImmediate);
  assert.equal(training.isRunning('a'), true);
  isStored = false;
  context.mock.timers.tick(60_000);
  for (let turn = 0; training.isRunning('a') && turn < 1000; turn += 1) await new Promise(setImmediate);
  assert.equal(training.isRunning('a'), false);
  assert.equal(signal()?.aborted, true);
});
