import { formatInfoOf } from '../../../src/audio/formats.ts';
import { dictionaryBytesOf } from '../../../src/domain/speech/dictionary-bytes.ts';
import type {
  LiveSpeech,
  SpeechRequest,
  SpeechResult,
  SpeechService,
  TimedSpeechResult,
} from '../../../src/domain/speech/speech-service.ts';
import type { TimedAudio } from '../../../src/domain/speech/timing/timed-audio.ts';
import { listKokoroVoices } from '../../../src/domain/voices/catalogue/kokoro-voices.ts';
import { createVoiceCatalogue, requireVoice } from '../../../src/domain/voices/catalogue/voice-catalogue.ts';
import type { Voice } from '../../../src/domain/voices/voice.ts';
import { ApiError } from '../../../src/errors.ts';
import { textToPieces } from '../../../src/text/front-end/text-to-pieces.ts';
import { localTone, SAMPLES_PER_CHUNK, type ToneSource } from './tone-source.ts';

const SECONDS_PER_CHAR = 0.05;
/** Characters per piece: audio of a piece counts as delivered with its first bytes. */
export const TONE_PIECE_CHARS = 10;

/** A speech service that renders every text as a sine tone, 50 ms per character, and records its requests. */
export class ToneSpeech implements SpeechService {
  readonly requests: SpeechRequest[] = [];
  /** Number of chunks of all requests. */
  chunks = 0;
  /** Number of open streams. */
  active = 0;
  /** A stream waits after this many chunks until its request is aborted. */
  pauseAfterChunks = Number.POSITIVE_INFINITY;
  /** Warnings about the text of the next requests. */
  warnings: readonly string[] = [];
  readonly #voices = createVoiceCatalogue(listKokoroVoices());
  readonly #source: ToneSource;

  constructor(source: ToneSource = localTone) {
    this.#source = source;
  }

  async speak(request: SpeechRequest, signal: AbortSignal): Promise<SpeechResult> {
    this.requests.push(request);
    const voice = this.#voiceOf(request);
    if (request.text !== '' && !/[\p{L}\p{N}]/u.test(request.text)) {
      throw new ApiError('nothing_to_speak', 'The text contains nothing to speak.');
    }
    let delivered: Delivered = NOTHING;
    return {
      contentType: formatInfoOf(request.format).contentType,
      model: request.model,
      engine: 'tone',
      voice: voice.name,
      warnings: this.warnings,
      body: this.#tone(request, signal, (reached) => {
        delivered = reached;
      }),
      deliveredBytes: () => delivered.textBytes + delivered.dictionaryBytes,
      dictionaryBytes: () => delivered.dictionaryBytes,
    };
  }

  #voiceOf({ voice }: SpeechRequest): Voice {
    const [first] = voice === undefined ? [] : [voice].flat();
    return first ?? requireVoice(this.#voices, 'af_heart');
  }

  async speakTimed(request: SpeechRequest, signal: AbortSignal): Promise<TimedSpeechResult> {
    const { body, ...speech } = await this.speak(request, signal);
    return { ...speech, body: withoutTimes(body) };
  }

  /** Renders text when it is flushed. */
  speakLive(request: SpeechRequest, signal: AbortSignal): LiveSpeech {
    this.requests.push(request);
    this.#voiceOf(request);
    const flushed: string[] = [];
    let text = request.text;
    let hasEnded = false;
    let delivered: Delivered = NOTHING;
    let wake = () => {};
    signal.addEventListener('abort', () => wake());
    const flush = () => {
      if (text !== '') flushed.push(text);
      text = '';
      wake();
    };
    const speakFlushed = async function* (this: ToneSpeech): AsyncGenerator<TimedAudio> {
      for (;;) {
        signal.throwIfAborted();
        const next = flushed.shift();
        if (next !== undefined) {
          const earlier = delivered;
          const onDelivered = (reached: Delivered) => {
            delivered = {
              textBytes: earlier.textBytes + reached.textBytes,
              dictionaryBytes: earlier.dictionaryBytes + reached.dictionaryBytes,
            };
          };
          yield* withoutTimes(this.#tone({ ...request, text: next }, signal, onDelivered));
        } else if (hasEnded) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    };
    return {
      write: (more) => {
        text += more;
      },
      flush,
      end: () => {
        hasEnded = true;
        flush();
      },
      deliveredBytes: () => delivered.textBytes + delivered.dictionaryBytes,
      dictionaryBytes: () => delivered.dictionaryBytes,
      body: speakFlushed.call(this),
    };
  }

  async *#tone(
    { text, sampleRateHz = 44_100, pronunciations }: SpeechRequest,
    signal: AbortSignal,
    onDelivered: (delivered: Delivered) => void,
  ): AsyncGenerator<Uint8Array> {
    this.active += 1;
    const sampleCount = Math.floor(text.length * SECONDS_PER_CHAR * sampleRateHz);
    const chunks = this.#source({ sampleRateHz, sampleCount }, signal)[Symbol.asyncIterator]();
    try {
      const words = pronunciations ? wordsOf(text, pronunciations) : [];
      for (let start = 0; start < sampleCount; start += SAMPLES_PER_CHUNK) {
        signal.throwIfAborted();
        if (start / SAMPLES_PER_CHUNK >= this.pauseAfterChunks) await untilAborted(signal);
        const { value: samples } = await chunks.next();
        if (samples === undefined) throw new Error('The source of the tone has ended.');
        this.chunks += 1;
        const piece = Math.floor(start / (SECONDS_PER_CHAR * sampleRateHz) / TONE_PIECE_CHARS);
        const end = (piece + 1) * TONE_PIECE_CHARS;
        const spoken = words.filter((word) => word.start < end);
        onDelivered({
          textBytes: Buffer.byteLength(text.slice(0, end)),
          dictionaryBytes: dictionaryBytesOf(spoken, text),
        });
        yield new Uint8Array(samples.buffer);
      }
    } finally {
      this.active -= 1;
      await chunks.return?.();
    }
  }
}

/** Throws the reason of the signal when it is aborted. */
async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  }
  signal.throwIfAborted();
}

interface Delivered {
  readonly textBytes: number;
  readonly dictionaryBytes: number;
}

const NOTHING: Delivered = { textBytes: 0, dictionaryBytes: 0 };

function wordsOf(text: string, pronunciations: NonNullable<SpeechRequest['pronunciations']>) {
  const options = { language: 'en-US', normalize: true, chunkLength: 150, minChunkLength: 0 } as const;
  const pieces = textToPieces(text, { ...options, cueStyle: 'both', pronunciations });
  return [...pieces].flatMap((piece) => piece.words);
}

async function* withoutTimes(body: AsyncIterable<Uint8Array>): AsyncGenerator<TimedAudio> {
  for await (const audio of body) yield { audio, timing: undefined };
}

/** The voices of a request; none if it has the default voice. */
export function voicesOf(request: Pick<SpeechRequest, 'voice'> | undefined): readonly Voice[] {
  return request?.voice === undefined ? [] : [request.voice].flat();
}
