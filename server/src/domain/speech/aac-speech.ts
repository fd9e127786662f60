import { AacEncoder } from '../../audio/encode/aac-encoder.ts';
import { defaultSampleRateHz, formatInfoOf } from '../../audio/formats.ts';
import { ApiError } from '../../errors.ts';
import type { SpeechRequest, SpeechResult, SpeechService } from './speech-service.ts';
import type { TimedAudio } from './timing/timed-audio.ts';

export interface AacSpeechDeps {
  readonly ffmpegPath: string;
  /** Limits the FFmpeg processes of speech. Waiting accounts are served in turn. */
  readonly slots: { acquire(accountId: string, signal: AbortSignal): Promise<() => void> };
  /** Maximum time that a request waits for a slot. */
  readonly waitMs: number;
}

/**
 * Wraps a speech service and encodes its PCM as AAC for requests of that format. Without FFmpeg, these are refused with
 * `not_supported`. AAC has no live sessions and no word times.
 */
export function withAac(speech: SpeechService, deps: AacSpeechDeps): SpeechService {
  return {
    async speak(request, signal) {
      if (request.format !== 'aac') return speech.speak(request, signal);
      return encodeAsAac(request, (pcmRequest) => speech.speak(pcmRequest, signal), { ...deps, signal });
    },
    async speakTimed(request, signal) {
      if (request.format !== 'aac') return speech.speakTimed(request, signal);
      const speak = async (pcmRequest: SpeechRequest) => {
        const timed = await speech.speakTimed(pcmRequest, signal);
        return { ...timed, body: audioOf(timed.body) };
      };
      const file = await encodeAsAac(request, speak, { ...deps, signal });
      return { ...file, body: withoutTimings(file.body) };
    },
    speakLive: (request, signal) => speech.speakLive(request, signal),
  };
}

/** The slot and the process are obtained first: a request that waits for them holds no capacity of the engines. */
async function encodeAsAac(
  request: SpeechRequest,
  speak: (request: SpeechRequest) => Promise<SpeechResult>,
  { ffmpegPath, slots, waitMs, signal }: AacSpeechDeps & { readonly signal: AbortSignal },
): Promise<SpeechResult> {
  const sampleRateHz = request.sampleRateHz ?? defaultSampleRateHz('aac');
  const releaseSlot = await acquireSlot({ slots, waitMs }, request.accountId, signal);
  let encoder: AacEncoder | undefined;
  const close = async () => {
    signal.removeEventListener('abort', close);
    await encoder?.close();
    releaseSlot();
  };
  try {
    encoder = await AacEncoder.start({ ffmpegPath, sampleRateHz });
    signal.throwIfAborted();
    // A body that is never read cannot close the process.
    signal.addEventListener('abort', close);
    const pcm = await speak({ ...request, format: 'pcm', sampleRateHz });
    const delivered = new DeliveredBytes();
    const body = encodeBody(pcm, { encoder, delivered, close });
    // A process that fails at once is reported before the response begins.
    const first = await body.next();
    const { contentType } = formatInfoOf('aac');
    return { ...pcm, contentType, deliveredBytes: () => delivered.bytes, body: startingWith(first, body) };
  } catch (error) {
    await close();
    throw error;
  }
}

async function acquireSlot(
  { slots, waitMs }: Pick<AacSpeechDeps, 'slots' | 'waitMs'>,
  accountId: string,
  signal: AbortSignal,
): Promise<() => void> {
  const timeout = AbortSignal.timeout(waitMs);
  try {
    return await slots.acquire(accountId, AbortSignal.any([signal, timeout]));
  } catch (error) {
    if (signal.aborted || !timeout.aborted) throw error;
    throw new ApiError('queue_full', 'All FFmpeg processes of the server are in use.', {
      retryAfterSeconds: 2,
    });
  }
}

/** Reads ahead of the client only as much as the encoder takes. Closes the source and the encoder at its end. */
async function* encodeBody(
  { body, deliveredBytes }: SpeechResult,
  {
    encoder,
    delivered,
    close,
  }: {
    readonly encoder: AacEncoder;
    readonly delivered: DeliveredBytes;
    readonly close: () => Promise<void>;
  },
): AsyncGenerator<Uint8Array> {
  const source = body[Symbol.asyncIterator]();
  let reading: Promise<IteratorResult<Uint8Array>> | undefined;
  let writtenBytes = 0;
  let isSourceEnded = false;
  try {
    while (!encoder.hasEnded) {
      const bytes = encoder.take();
      if (bytes !== undefined) {
        delivered.advanceTo(encoder.encodedSamples);
        yield bytes;
        continue;
      }
      if (isSourceEnded || encoder.isFull) {
        await encoder.progress();
        continue;
      }
      if (reading === undefined) {
        reading = source.next();
        // Awaited below: an earlier rejection must not be unhandled, which would end the process.
        reading.catch(() => {});
      }
      const next = await Promise.race([reading, encoder.available()]);
      if (next === undefined) continue;
      reading = undefined;
      if (next.done !== true) {
        delivered.add(writtenBytes / SAMPLE_BYTES, deliveredBytes());
        writtenBytes += next.value.length;
        encoder.write(next.value);
      } else if (writtenBytes === 0) return;
      else {
        encoder.end();
        isSourceEnded = true;
      }
    }
    delivered.advanceTo(Number.POSITIVE_INFINITY);
  } finally {
    await close();
    await source.return?.();
  }
}

const SAMPLE_BYTES = 2;

/** The delivered text of the audio that has left the encoder. */
class DeliveredBytes {
  bytes = 0;
  /** The delivered text with the audio that begins at a sample, in order. */
  #waiting: { readonly fromSample: number; readonly bytes: number }[] = [];

  add(fromSample: number, bytes: number): void {
    this.#waiting.push({ fromSample, bytes });
  }

  advanceTo(sample: number): void {
    const left = this.#waiting.findIndex(({ fromSample }) => fromSample >= sample);
    const passed = this.#waiting.splice(0, left === -1 ? this.#waiting.length : left);
    this.bytes = passed.at(-1)?.bytes ?? this.bytes;
  }
}

/** The rest of a stream whose first part has been read. */
async function* startingWith(
  first: IteratorResult<Uint8Array>,
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    if (first.done === true) return;
    yield first.value;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

async function* audioOf(body: AsyncIterable<TimedAudio>): AsyncGenerator<Uint8Array> {
  for await (const { audio } of body) if (audio.length > 0) yield audio;
}

async function* withoutTimings(body: AsyncIterable<Uint8Array>): AsyncGenerator<TimedAudio> {
  for await (const audio of body) yield { audio, timing: undefined };
}
