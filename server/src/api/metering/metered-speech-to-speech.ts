import { TranscriptionCharge, unitsOf } from '../../domain/accounts/metering/transcription-charge.ts';
import { revoice } from '../../domain/speech-to-speech/revoice.ts';
import { toSourcePhrases } from '../../domain/speech-to-speech/source-phrases.ts';
import { TranscribedAudio } from '../../domain/transcription/transcribed-audio.ts';
import type {
  Transcript,
  TranscriptionEvent,
  TranscriptionOptions,
} from '../../domain/transcription/transcription-service.ts';
import { ApiError } from '../../errors.ts';
import type { ApiDeps, TranscriptionDeps } from '../dependencies.ts';
import { loadVoices, type PendingSpeechRequest, voiceHeaders } from '../requests/speech-request.ts';
import { streamBytes } from '../responses/byte-stream.ts';
import type { UploadedRecording } from '../uploads/uploaded-recording.ts';
import type { Exchange } from './idempotent-request.ts';
import { COST_HEADER, type MeteredResponse, meterRequest } from './metered-request.ts';

/** Maximum duration of a recording. The result is streamed while the client waits. */
export const REVOICED_MAX_SECONDS = 3600;

export type SpeechToSpeechDeps = Pick<TranscriptionDeps, 'transcription'> &
  Pick<ApiDeps, 'config' | 'accounting' | 'speech'>;

/** A recording, and the voice and format of the result. */
export interface SpeechToSpeechRequest {
  readonly audio: UploadedRecording;
  readonly transcription: TranscriptionOptions;
  /** The text of the request is ignored. */
  readonly speech: PendingSpeechRequest;
  /** Whether the pitch of the recording is imitated. */
  readonly keepsPitch: boolean;
  /** Everything that makes two requests equal, beside the recording. */
  readonly content: readonly unknown[];
}

/**
 * Speaks a recording with another voice. Charges the seconds of the recording and the bytes of the spoken text: both are
 * held before the first audio is sent. Without any audio only a client that disconnects is charged, for the seconds
 * that were transcribed.
 */
export async function meterSpeechToSpeech(
  deps: SpeechToSpeechDeps,
  { request, reply }: Exchange,
  revoiced: SpeechToSpeechRequest,
): Promise<void> {
  const { transcription: options, speech: pending, audio } = revoiced;
  const metered = {
    service: 'asr' as const,
    model: options.model,
    units: 0,
    additional: [{ service: 'tts' as const, model: pending.model, units: 0 }],
    content: [...revoiced.content, audio.sha256],
  };
  await meterRequest(deps.accounting, { request, reply }, metered, async (response) => {
    // Transcription has its own queue and must not hold back the admission of speech.
    response.begin();
    const transcribed = new TranscribedAudio();
    const charge = createCharge(response);
    let spokenBytes = 0;
    try {
      const { accountId } = request.caller;
      const events = deps.transcription.transcribe(
        { ...options, wantsPitch: revoiced.keepsPitch, path: audio.path, accountId },
        response.signal,
      );
      const { segments, durationSeconds } = await transcribe(events, transcribed, charge);
      const phrases = toSourcePhrases(segments);
      if (phrases.length === 0) throw new ApiError('nothing_to_speak', 'The recording contains no speech.');
      const textBytes = phrases.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
      await response.extendAdditionalHold(textBytes);
      const loaded = await loadVoices(pending, { signal: response.signal, begin: () => {} });
      const { contentType, body, deliveredBytes, ...facts } = await revoice(deps.speech, phrases, {
        request: loaded,
        durationSeconds,
        keepsPitch: revoiced.keepsPitch,
        signal: response.signal,
      });
      response.voice = facts.voice;
      reply.header(COST_HEADER, response.priceOf(unitsOf(...transcribed.position)));
      const headers = { 'cache-control': 'no-store', 'content-type': contentType, ...voiceHeaders(facts) };
      const isComplete = await streamBytes(reply, response.record(body), {
        stallMs: deps.config.streamStallSeconds * 1000,
        headers,
        onSent: () => {
          spokenBytes = deliveredBytes();
        },
      });
      if (!isComplete) return;
      spokenBytes = textBytes;
      response.store(headers);
    } finally {
      response.deliveredAdditionalUnits = spokenBytes;
      if (spokenBytes > 0 || response.signal.aborted) await charge.settle(...transcribed.position);
    }
  });
}

function createCharge(response: MeteredResponse): TranscriptionCharge {
  return new TranscriptionCharge({
    extend: (units) => response.extendHold(units),
    // Settled by `meterRequest`.
    settle: async (units) => {
      response.deliveredUnits = units;
      return 0;
    },
  });
}

/** The transcript. The price of the audio is held as it is transcribed. */
async function transcribe(
  events: AsyncIterable<TranscriptionEvent>,
  transcribed: TranscribedAudio,
  charge: TranscriptionCharge,
): Promise<Transcript> {
  for await (const event of events) {
    const position = transcribed.add(event);
    if (position[0] > REVOICED_MAX_SECONDS) {
      throw new ApiError('audio_too_long', `The audio is longer than ${REVOICED_MAX_SECONDS} seconds.`);
    }
    await charge.hold(...position);
    if (event.type === 'finished') return event.transcript;
  }
  throw new Error('The transcription ended without a result.');
}
