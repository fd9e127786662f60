import type { SpeechRequest } from '../../domain/speech/speech-service.ts';
import { parseLanguage } from '../../domain/voices/catalogue/language-tags.ts';
import { ApiError } from '../../errors.ts';
import type { ApiDeps, AuthenticatedRequest } from '../dependencies.ts';
import { toDictionaryChoices } from '../schemas/pronunciation.ts';
import { toRecordings } from '../schemas/references.ts';
import { type TtsRequest, toMp3BitrateKbps, toOpusBitrateBps } from '../schemas/tts-request.ts';
import { modelNameOf } from '../wire/request-headers.ts';
import { isSingleSpeakerModel, resolveWireModel } from '../wire/wire-models.ts';

/** What a request to speak says beside its body. */
export interface SpeakContext {
  readonly accountId: string;
  readonly requestId: string;
  /** A wire model id, with aliases already resolved. */
  readonly model: string;
  /** How the body came, as clients know the name. */
  readonly encoding: 'JSON' | 'MsgPack';
}

type SpeakDeps = Pick<ApiDeps, 'config' | 'pronunciations' | 'voiceFinder'>;

/** What an HTTP request says beside its body. */
export function speakContextOf(request: AuthenticatedRequest, { config }: Pick<SpeakDeps, 'config'>): SpeakContext {
  return {
    accountId: request.caller.accountId,
    requestId: request.id,
    model: resolveWireModel(modelNameOf(request), config),
    encoding: request.mediaType === 'application/json' ? 'JSON' : 'MsgPack',
  };
}

/** The checked request that a body means. Throws an `ApiError` for what this server does not do. */
export async function toSpeakRequest(
  body: TtsRequest,
  context: SpeakContext,
  { config, pronunciations: finder, voiceFinder }: SpeakDeps,
): Promise<SpeechRequest> {
  const { accountId, requestId, model, encoding } = context;
  if (body.text.length > config.textMaxChars) {
    throw new ApiError('text_too_long', `The text is longer than ${config.textMaxChars} characters.`);
  }
  const { named: voice, own: ownVoices } = await voiceFinder.find({
    accountId,
    named: voicesOf(body, model, encoding),
    ...toRecordings(body.references),
  });
  const pronunciations = await finder.find(accountId, toDictionaryChoices(body.pronunciation_dictionary));
  return {
    accountId,
    requestId,
    model,
    voice,
    ...(ownVoices.length > 0 && { ownVoices }),
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

/** Says which values were out of range and held to it. */
export function warningHeader({ temperature, prosody }: TtsRequest): Record<string, string> {
  const volume = prosody?.volume ?? 0;
  const clamped = [
    ...(temperature === clamp(temperature, 0, 1) ? [] : ['temperature was held to 0..1']),
    ...(volume === clamp(volume, -20, 20) ? [] : ['prosody.volume was held to -20..20']),
  ];
  return clamped.length > 0 ? { 'x-mynah-warning': clamped.join('; ') } : {};
}

/** Headers that say who speaks. */
export function speakerHeaders(speech: {
  readonly model: string;
  readonly engine: string;
  readonly voice: string;
}): Record<string, string> {
  return {
    'x-mynah-model': speech.model,
    'x-mynah-engine': speech.engine,
    // Names of voices that users dropped in may hold any letter; a header may not.
    'x-mynah-voice': encodeURI(speech.voice),
  };
}

/** The voice of the cloud that LiveKit's plugin asks for when nobody names one; here that is the default voice. */
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
    throw new ApiError(
      'invalid_request',
      `Failed to parse the request body as ${encoding}: data did not match any variant of untagged enum MultiSpeakerReference`,
    );
  }
  return reference_id.length > 0 ? reference_id : undefined;
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}
