import type { SpeechRequest } from '../../domain/speech/speech-service.ts';
import { parseLanguage } from '../../domain/voices/catalogue/language-tags.ts';
import type { FoundVoices } from '../../domain/voices/library/voice-resolver.ts';
import { ApiError } from '../../errors.ts';
import type { ApiDeps, AuthenticatedRequest } from '../dependencies.ts';
import { toDictionaryReferences } from '../schemas/speech/pronunciation.ts';
import { type TtsRequest, toMp3BitrateKbps, toOpusBitrateBps } from '../schemas/speech/tts-request.ts';
import { toRecordings } from '../schemas/voices/references.ts';
import { modelNameOf } from '../wire/request-headers.ts';
import { isSingleSpeakerModel, resolveWireModel } from '../wire/wire-models.ts';

/** The parts of a speech request that are not in its body. */
export interface SpeechContext {
  readonly accountId: string;
  readonly requestId: string;
  /** When the request was received, by the monotonic clock. */
  readonly receivedAtMs?: number;
  /** A wire model id, with aliases already resolved. */
  readonly model: string;
  /** The encoding of the body, as named in error messages. */
  readonly encoding: 'JSON' | 'MsgPack';
}

/** A speech request whose voices are found, but whose recordings are not decoded yet. */
export interface PendingSpeechRequest extends Omit<SpeechRequest, 'voice'> {
  readonly voices: FoundVoices;
}

/** An output format in place of the one in the body: clients of other services may request more formats. */
export interface OutputFormat extends Pick<SpeechRequest, 'format'> {
  readonly sampleRateHz: number;
  readonly mp3BitrateKbps?: SpeechRequest['mp3BitrateKbps'];
}

type SpeechRequestDeps = Pick<ApiDeps, 'config' | 'pronunciations' | 'voiceResolver'>;

/** The context of an HTTP request. */
export function speechContextOf(
  request: AuthenticatedRequest,
  { config }: Pick<SpeechRequestDeps, 'config'>,
): SpeechContext {
  return {
    accountId: request.caller.accountId,
    requestId: request.id,
    receivedAtMs: request.receivedAtMs,
    model: resolveWireModel(modelNameOf(request), config),
    encoding: request.mediaType === 'application/json' ? 'JSON' : 'MsgPack',
  };
}

/** Converts a validated body into a speech request, and finds its voices and dictionaries. */
export async function toSpeechRequest(
  body: TtsRequest,
  context: SpeechContext,
  { config, pronunciations: finder, voiceResolver }: SpeechRequestDeps,
): Promise<PendingSpeechRequest> {
  const { accountId, requestId, receivedAtMs, model, encoding } = context;
  if (body.text.length > config.textMaxChars) {
    throw new ApiError('text_too_long', `The text is longer than ${config.textMaxChars} characters.`);
  }
  const voices = await voiceResolver.resolve({
    accountId,
    named: voicesOf(body, model, encoding),
    ...toRecordings(body.references),
  });
  const pronunciations = await finder.resolve(
    accountId,
    toDictionaryReferences(body.pronunciation_dictionary),
  );
  return {
    accountId,
    requestId,
    receivedAtMs,
    model,
    voices,
    text: body.text,
    format: body.format,
    sampleRateHz: body.sample_rate ?? undefined,
    mp3BitrateKbps: toMp3BitrateKbps(body.mp3_bitrate),
    opusBitrateBps: toOpusBitrateBps(body.opus_bitrate),
    speed: body.prosody?.speed ?? 1,
    volumeDb: clamp(body.prosody?.volume ?? 0, -20, 20),
    normalizeLoudness: body.prosody?.normalize_loudness ?? true,
    normalize: body.normalize,
    chunkLength: body.chunk_length,
    minChunkLength: body.min_chunk_length,
    latency: body.latency,
    conditionOnPreviousChunks: body.condition_on_previous_chunks,
    temperature: clamp(body.temperature, 0, 1),
    seed: body.seed ?? undefined,
    ...(pronunciations && { pronunciations }),
    ...(body.visemes && { visemes: true }),
    language: body.language ? parseLanguage(body.language) : undefined,
  };
}

/**
 * Loads the voices of a request: clones its `references`, reads the recordings of stored voices. Call it after
 * admission and with the price held.
 */
export async function loadVoices(
  { voices, ...request }: PendingSpeechRequest,
  admitted: { readonly signal: AbortSignal; readonly begin: () => void },
): Promise<SpeechRequest> {
  // Cloning has its own queue and must not hold back the admission of speech.
  if (voices.hasReferences) admitted.begin();
  return { ...request, voice: await voices.load(admitted.signal) };
}

/** A warning about values that were clamped to their range, with the warnings about the text. */
export function warningHeader(
  { temperature, prosody }: Pick<TtsRequest, 'temperature' | 'prosody'>,
  textWarnings: readonly string[] = [],
): Record<string, string> {
  const volume = prosody?.volume ?? 0;
  const clamped = [
    ...(temperature === clamp(temperature, 0, 1) ? [] : ['temperature was clamped to 0..1']),
    ...(volume === clamp(volume, -20, 20) ? [] : ['prosody.volume was clamped to -20..20']),
    ...textWarnings,
  ];
  return toWarningHeader(clamped);
}

/** The response header for warnings; none without warnings. */
export function toWarningHeader(warnings: readonly string[]): Record<string, string> {
  return warnings.length > 0 ? { 'x-mynah-warning': warnings.join('; ') } : {};
}

/** The response headers for the model, the engine and the voice. */
export function voiceHeaders(speech: {
  readonly model: string;
  readonly engine: string;
  readonly voice: string;
}): Record<string, string> {
  return {
    'x-mynah-model': speech.model,
    'x-mynah-engine': speech.engine,
    // The name of a voice may contain characters that a header must not.
    'x-mynah-voice': encodeURI(speech.voice),
  };
}

/** The voice id that LiveKit's plugin sends when the user selects none. It stands for the default voice. */
const CLOUD_DEFAULT_VOICE = '933563129e564b19a115bedd57b7406a';

function voicesOf(
  { reference_id }: TtsRequest,
  model: string,
  encoding: string,
): string | readonly string[] | undefined {
  if (!Array.isArray(reference_id)) {
    return reference_id === CLOUD_DEFAULT_VOICE ? undefined : reference_id || undefined;
  }
  if (isSingleSpeakerModel(model)) {
    // Begins with the message of the public API.
    throw new ApiError(
      'invalid_request',
      `Failed to parse the request body as ${encoding}: data did not match any variant of untagged enum MultiSpeakerReference. ` +
        'This model speaks with one voice: send one voice in `reference_id`, or choose a model such as `s2-pro`.',
    );
  }
  return reference_id.length > 0 ? reference_id : undefined;
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}
