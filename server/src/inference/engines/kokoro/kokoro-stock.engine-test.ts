import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IS_COMPLETE_RUN } from '../../../../test/support/engines/complete-run.ts';
import { spokenWords, testEngineContract } from '../../../../test/support/engines/tts-engine-contract.ts';
import { useSpeechHost } from '../../../../test/support/workers/shared-speech-host.ts';
import { trackPitch } from '../../../audio/dsp/pitch-track.ts';
import { joinSamples } from '../../../audio/pcm.ts';
import { type Delivery, NEUTRAL_DELIVERY } from '../../../domain/engines/delivery.ts';
import { medianPitchHz } from '../acting/pitch-contour.ts';

const host = useSpeechHost();

// The stock decoder is slower than real time. Speed is not its part: the model changes it up to 1.1, time compression above.
testEngineContract('kokoro-stock', () => host.engine('kokoro-stock'), {
  isDeterministic: true,
  text: 'The boat came home.',
  speeds: [0.8, 2],
  isShort: !IS_COMPLETE_RUN,
});

test('kokoro with the stock decoder applies pitch shifts, and whispers', async () => {
  const engine = await host.engine('kokoro-stock');
  const words = spokenWords('We walked along the river.');
  const measurePitch = async (changes: Partial<Delivery>) => {
    const deliveries = words.map(() => ({ ...NEUTRAL_DELIVERY, ...changes }));
    const voice = { kind: 'named', name: 'af_heart' } as const;
    const utterance = { words, deliveries, voice, language: 'en-US', speed: 1, seed: 1 } as const;
    const parts: Float32Array[] = [];
    for await (const { samples } of engine.speak(utterance, new AbortController().signal))
      parts.push(samples);
    return trackPitch(joinSamples(parts), engine.sampleRateHz).pitchHz;
  };
  const low = medianPitchHz(await measurePitch({ pitchSemitones: -4 }), 40)!;
  const high = medianPitchHz(await measurePitch({ pitchSemitones: 4 }), 40)!;
  assert.ok(Math.abs(12 * Math.log2(high / low) - 8) < 1.5, `${low} and ${high} Hz`);
  if (!IS_COMPLETE_RUN) return;
  const whisper = await measurePitch({ breath: 1 });
  const voicedShare = whisper.filter((hz) => hz > 0).length / whisper.length;
  // In 1.5 s of audio the tracker has a few false positives; half of neutral speech is voiced.
  assert.ok(voicedShare < 0.15, `${voicedShare} of the whisper is voiced`);
});
