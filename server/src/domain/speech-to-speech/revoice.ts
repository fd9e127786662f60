import { joinBytes } from '../../audio/bytes.ts';
import { fromPcm16Bytes } from '../../audio/encode/pcm16.ts';
import type { Pcm } from '../../audio/pcm.ts';
import { ApiError } from '../../errors.ts';
import { dubCaptions } from '../dubbing/dub-captions.ts';
import { audioSettingsOf, encodeSpeech } from '../speech/encode-speech.ts';
import type { SpeechRequest, SpeechResult, SpeechService } from '../speech/speech-service.ts';
import type { ChunkTiming } from '../speech/timing/timing.ts';
import { PhraseSpeaker, type SpeakPhrase, type SpokenPhrase } from './phrase-speaker.ts';
import type { SourcePhrase } from './source-phrases.ts';

/** Sample rate of the engines. */
const RATE_HZ = 24_000;
/** A phrase is accelerated to this rate at most; what does not fit then continues in the pause after it. */
const SPEED_MAX = 1.5;

export interface RevoiceOptions {
  /** The voice and the output format; its text is ignored. */
  readonly request: SpeechRequest;
  /** Duration of the recording. The result is at least as long. */
  readonly durationSeconds: number;
  /** Whether the pitch of the recording is imitated. */
  readonly keepsPitch: boolean;
  readonly signal: AbortSignal;
}

/** Speaks the phrases of a recording at their times, with the durations and the melody of their words. */
export async function revoice(
  speech: Pick<SpeechService, 'speakTimed'>,
  phrases: readonly SourcePhrase[],
  { request, durationSeconds, keepsPitch, signal }: RevoiceOptions,
): Promise<SpeechResult> {
  const facts = { engine: '', voice: '' };
  let deliveredBytes = 0;
  const speak: SpeakPhrase = async (text, { speed, directions }) => {
    const format = { format: 'pcm', sampleRateHz: RATE_HZ } as const;
    try {
      const spoken = await speech.speakTimed({ ...request, ...format, text, speed, directions }, signal);
      facts.engine ||= spoken.engine;
      facts.voice ||= spoken.voice;
      return await collect(spoken.body);
    } catch (error) {
      // A phrase such as “♪” is silence.
      if (error instanceof ApiError && error.code === 'nothing_to_speak') return NOTHING;
      throw error;
    }
  };
  const speaker = new PhraseSpeaker(phrases, { speak, sampleRateHz: RATE_HZ, keepsPitch });
  const audio = dubCaptions(phrases, (phrase, speed) => speaker.speak(phrase, speed), {
    sampleRateHz: RATE_HZ,
    maxSpeed: SPEED_MAX,
    onCaption: ({ text }) => {
      deliveredBytes += Buffer.byteLength(text);
    },
  });
  const file = await encodeSpeech(padTo(audio, durationSeconds), audioSettingsOf(request));
  return {
    ...facts,
    model: request.model,
    contentType: file.contentType,
    body: file.body,
    deliveredBytes: () => deliveredBytes,
    dictionaryBytes: () => 0,
  };
}

const NOTHING: SpokenPhrase = { samples: new Float32Array(0), words: [] };

/** The samples of synthesized speech, with the last report of each word time. */
async function collect(
  body: AsyncIterable<{ readonly audio: Uint8Array; readonly timing: ChunkTiming | undefined }>,
): Promise<SpokenPhrase> {
  const parts: Uint8Array[] = [];
  const timings = new Map<number, ChunkTiming>();
  for await (const { audio, timing } of body) {
    parts.push(audio.slice());
    if (timing !== undefined) timings.set(timing.sequence, timing);
  }
  const words = [...timings.values()].flatMap(({ offsetSeconds, words: chunk }) =>
    chunk.map(({ startSeconds, endSeconds, charStart, charEnd }) => ({
      startSeconds: offsetSeconds + startSeconds,
      endSeconds: offsetSeconds + endSeconds,
      charStart,
      charEnd,
    })),
  );
  return { samples: fromPcm16Bytes(joinBytes(parts)), words };
}

/** Appends silence up to a duration. */
async function* padTo(audio: AsyncGenerator<Pcm>, seconds: number): AsyncGenerator<Pcm> {
  let left = Math.round(seconds * RATE_HZ);
  for await (const chunk of audio) {
    left -= chunk.samples.length;
    yield chunk;
  }
  for (; left > 0; left -= RATE_HZ) {
    yield { samples: new Float32Array(Math.min(left, RATE_HZ)), sampleRateHz: RATE_HZ };
  }
}
