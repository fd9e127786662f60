import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { testActing } from '../../../../test/support/engines/acting-contract.ts';
import { IS_COMPLETE_RUN } from '../../../../test/support/engines/complete-run.ts';
import { spokenWords, testEngineContract } from '../../../../test/support/engines/tts-engine-contract.ts';
import { useSpeechHost } from '../../../../test/support/workers/shared-speech-host.ts';
import { Limiter } from '../../../audio/dsp/limiter.ts';
import { measureLoudness } from '../../../audio/dsp/loudness.ts';
import { measureSpeech } from '../../../audio/dsp/speech-measures.ts';
import { joinSamples } from '../../../audio/pcm.ts';
import { NEUTRAL_DELIVERY } from '../../../domain/engines/delivery.ts';
import type { SpeechPart, TtsEngine, Utterance } from '../../../domain/engines/tts-engine.ts';
import { VOCAL_SOUNDS } from '../../../domain/engines/vocal-sound.ts';
import { loadSpeakers } from './load-vits.ts';
import { SPEAKERS } from './speakers.ts';

const host = useSpeechHost();
testEngineContract('vits', () => host.engine('vits'));
testActing('vits', () => host.engine('vits'), {
  voice: '712',
  // Kokoro renders every sound by the same recipes.
  sounds: IS_COMPLETE_RUN ? VOCAL_SOUNDS : ['laugh', 'gasp', 'audience-laughter'],
});

const SENTENCE = 'The old harbor was quiet this morning, and only a few boats had come back with the tide.';

describe('the embedded model of 904 speakers', () => {
  let engine: TtsEngine;
  before(async () => {
    engine = await host.engine('vits');
  });

  const speak = async (changes: Partial<Utterance> = {}): Promise<SpeechPart[]> => {
    const utterance: Utterance = {
      words: spokenWords(SENTENCE),
      language: 'en-US',
      voice: { kind: 'named', name: '0' },
      speed: 1,
      seed: 1,
      ...changes,
    };
    const parts: SpeechPart[] = [];
    for await (const part of engine.speak(utterance, new AbortController().signal)) parts.push(part);
    return parts;
  };

  /** The unchanged utterance, synthesized once. */
  let unchanged: Promise<SpeechPart[]> | undefined;
  const speakUnchanged = () => {
    unchanged ??= speak();
    return unchanged;
  };

  const joined = (parts: readonly SpeechPart[]) =>
    Float32Array.from(parts.flatMap((part) => [...part.samples]));
  const pitchOf = (parts: readonly SpeechPart[]) => measureSpeech(joined(parts), engine.sampleRateHz).pitchHz;

  test('all speakers are listed by number', () => {
    assert.equal(engine.voices.length, 904);
    assert.equal(engine.voices.at(-1), '903');
    assert.ok(SPEAKERS.every(({ speaker }) => engine.voices.includes(String(speaker))));
  });

  test('the first part is short', async () => {
    const parts = await speakUnchanged();
    assert.ok(parts.length >= 3);
    assert.ok(parts[0]!.samples.length < 0.5 * engine.sampleRateHz);
  });

  test('a listed speaker has the pitch of its entry', async () => {
    const spread = [SPEAKERS[0]!, SPEAKERS.at(-1)!];
    for (const { speaker, pitchHz } of spread) {
      const measuredHz = pitchOf(await speak({ voice: { kind: 'named', name: String(speaker) } }));
      const semitones = 12 * Math.log2(measuredHz / pitchHz);
      assert.ok(Math.abs(semitones) < 3, `speaker ${speaker}: ${measuredHz} Hz instead of ${pitchHz} Hz`);
    }
  });

  test('a pitch correction keeps the duration and the word times', async () => {
    const values = (await loadSpeakers(host.context()))[0]!;
    const own = await speak({ voice: { kind: 'vector', values } });
    assert.deepEqual(own, await speakUnchanged());
    const deliveries = spokenWords(SENTENCE).map(() => ({ ...NEUTRAL_DELIVERY, levelDb: -3 }));
    for (const { pitchFactor, ...changes } of [{ pitchFactor: 0.9 }, { pitchFactor: 1.1, deliveries }]) {
      const pitchCorrection = { middleHz: pitchOf(own), pitchFactor, range: 0.8 };
      const corrected = await speak({ voice: { kind: 'vector', values, pitchCorrection }, ...changes });
      const ratio = pitchOf(corrected) / pitchOf(own) / pitchFactor;
      assert.ok(Math.abs(ratio - 1) < 0.02, `${ratio} times the wanted pitch`);
      assert.equal(joined(corrected).length, joined(own).length);
      assert.deepEqual(corrected[0]!.wordTimes, own[0]!.wordTimes);
    }
  });

  test('sentences that the model speaks at different levels are equally loud', async () => {
    // 3.7 LU apart without compensation.
    const sentences = [
      'The river was higher than we had ever seen it in the spring.',
      'Nobody wanted to go near the old wooden bridge behind the mill.',
    ];
    const [soft, loud] = await Promise.all(
      sentences.map(async (text) => {
        const samples = joined(
          await speak({ words: spokenWords(text), voice: { kind: 'named', name: '587' } }),
        );
        return measureLoudness(samples, engine.sampleRateHz);
      }),
    );
    assert.ok(Math.abs(soft! - loud!) < 1.5, `${soft} and ${loud} LUFS`);
  });

  test('neutral utterances have the loudness that is asked for', async () => {
    // As the server asks for it with a target of -16 LUFS.
    const loudness = { targetLufs: -17.9, ceilingDbfs: -2.9 };
    for (const text of ['The river was higher than ever.', SENTENCE]) {
      const parts = await speak({
        words: spokenWords(text),
        voice: { kind: 'named', name: '587' },
        loudness,
      });
      const { sampleRateHz } = engine;
      const limiter = new Limiter({ sampleRateHz, ceilingDbtp: loudness.ceilingDbfs });
      const limited = joinSamples([limiter.process(joined(parts)), limiter.flush()]);
      const lufs = measureLoudness(limited, sampleRateHz);
      assert.ok(Math.abs(lufs - loudness.targetLufs + 0.4) < 0.5, `${lufs} LUFS`);
    }
  });

  test('the longest pause is at the punctuation', async () => {
    const times = (await speakUnchanged()).flatMap((part) => part.wordTimes ?? []);
    const gapAfter = (index: number) => times[index + 1]!.startSeconds - times[index]!.endSeconds;
    const comma = spokenWords(SENTENCE).findIndex((word) => word.after === ',');
    const others = times.slice(1).map((_, index) => gapAfter(index));
    assert.equal(Math.max(...others), gapAfter(comma));
  });
});
