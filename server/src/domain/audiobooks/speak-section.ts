import { LoudnessMeter } from '../../audio/dsp/loudness.ts';
import { fromPcm16Bytes } from '../../audio/encode/pcm16.ts';
import { ApiError } from '../../errors.ts';
import type { CaptionWord } from '../captions/caption.ts';
import type { SpeechRequest, SpeechService } from '../speech/speech-service.ts';
import { captionWords } from '../speech/timing/caption-words.ts';
import type { ChunkTiming } from '../speech/timing/timing.ts';

/** Sample rate of stored sections: that of the engines. */
export const SECTION_RATE_HZ = 24_000;
const BYTES_PER_SAMPLE = 2;

/** The values of a speech request that books do not set. */
const BOOK_SPEECH = {
  format: 'pcm',
  sampleRateHz: SECTION_RATE_HZ,
  mp3BitrateKbps: 128,
  opusBitrateBps: 'auto',
  volumeDb: 0,
  normalizeLoudness: true,
  normalize: true,
  chunkLength: 300,
  minChunkLength: 50,
  latency: 'normal',
  conditionOnPreviousChunks: true,
  temperature: 0.7,
} as const satisfies Partial<SpeechRequest>;

/** The values that differ between sections. */
export type SectionRequest = Omit<SpeechRequest, keyof typeof BOOK_SPEECH>;

/** A section while it is spoken. The facts are complete when its audio was read. */
export class SectionSpeech {
  readonly pcm: AsyncGenerator<Uint8Array>;
  /** The voices and the additional bytes of dictionaries, for the charge. */
  voice = '';
  dictionaryBytes = 0;
  #bytes = 0;
  readonly #meter = new LoudnessMeter(SECTION_RATE_HZ);
  readonly #timings = new Map<number, ChunkTiming>();

  constructor(
    speech: Pick<SpeechService, 'speakTimed'>,
    request: SectionRequest,
    pauseSeconds: number,
    signal: AbortSignal,
  ) {
    this.pcm = this.#speak(speech, request, pauseSeconds, signal);
  }

  get samples(): number {
    return this.#bytes / BYTES_PER_SAMPLE;
  }

  /** Integrated loudness; undefined for silence. */
  get lufs(): number | undefined {
    const lufs = this.#meter.integratedLufs();
    return Number.isFinite(lufs) ? lufs : undefined;
  }

  words(): CaptionWord[] {
    return [...this.#timings.values()].flatMap(captionWords);
  }

  async *#speak(
    service: Pick<SpeechService, 'speakTimed'>,
    request: SectionRequest,
    pauseSeconds: number,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    try {
      const speech = await service.speakTimed({ ...BOOK_SPEECH, ...request }, signal);
      this.voice = speech.voice;
      for await (const { audio, timing } of speech.body) {
        if (timing !== undefined) this.#timings.set(timing.sequence, timing);
        if (audio.length === 0) continue;
        this.#bytes += audio.length;
        this.#meter.process(fromPcm16Bytes(audio));
        yield audio;
      }
      this.dictionaryBytes = speech.dictionaryBytes();
    } catch (error) {
      // A section such as “* * *” is a pause.
      if (!(error instanceof ApiError && error.code === 'nothing_to_speak')) throw error;
    }
    const silence = new Uint8Array(BYTES_PER_SAMPLE * Math.round(pauseSeconds * SECTION_RATE_HZ));
    this.#bytes += silence.length;
    yield silence;
  }
}
