import { z } from 'zod';
import type { TtsRequestSchema } from '../../schemas/speech/tts-request.ts';
import { RealtimeError } from './realtime-error.ts';
import { toReferenceId } from './voices.ts';

/** The configuration of a realtime session. */
export interface RealtimeConfig {
  readonly voice: string;
  readonly speed: number;
  readonly output: AudioFormat;
  readonly inputRateHz: number;
  readonly language: string | undefined;
  /** Undefined: the client commits the audio. */
  readonly turnDetection: TurnDetection | undefined;
}

/** How turns are detected. */
interface TurnDetection {
  readonly type: (typeof TURN_DETECTIONS)[number];
  /** Whether speech of the user cancels the active response. */
  readonly interruptsResponse: boolean;
}

interface AudioFormat {
  readonly format: 'pcm' | 'wav' | 'mp3' | 'opus';
  readonly rateHz: number;
}

export const DEFAULT_CONFIG: RealtimeConfig = {
  voice: '',
  speed: 1,
  output: { format: 'pcm', rateHz: 24_000 },
  inputRateHz: 24_000,
  language: undefined,
  turnDetection: undefined,
};

/** The session detects turns by pauses of speech for both. */
const TURN_DETECTIONS = ['server_vad', 'semantic_vad'] as const;

/** Format names with their default sample rates. */
const FORMATS: Readonly<Record<string, AudioFormat>> = {
  pcm16: { format: 'pcm', rateHz: 24_000 },
  'audio/pcm': { format: 'pcm', rateHz: 24_000 },
  wav: { format: 'wav', rateHz: 44_100 },
  'audio/wav': { format: 'wav', rateHz: 44_100 },
  mp3: { format: 'mp3', rateHz: 44_100 },
  'audio/mp3': { format: 'mp3', rateHz: 44_100 },
  'audio/mpeg': { format: 'mp3', rateHz: 44_100 },
  opus: { format: 'opus', rateHz: 48_000 },
  'audio/opus': { format: 'opus', rateHz: 48_000 },
};

/** A name chosen by the client. The session keeps it and sends it back. */
const Name = z.string().max(512);
const Format = z.union([Name, z.object({ type: Name, rate: z.int().nullish() })]).nullish();
const Voice = z.union([Name, z.object({ id: Name })]).nullish();
const TurnDetectionSchema = z
  .object({ type: Name.nullish(), interrupt_response: z.boolean().nullish() })
  .nullish();
const Transcription = z.object({ language: Name.nullish() }).nullish();

/** The supported fields of `session.update`, in both places where clients send them. Other fields are ignored. */
export const SessionSchema = z.object({
  voice: Voice,
  speed: z.number().nullish(),
  output_audio_format: Format,
  input_audio_format: Format,
  input_audio_transcription: Transcription,
  turn_detection: TurnDetectionSchema,
  modalities: z.array(z.string().max(64)).max(16).nullish(),
  output_modalities: z.array(z.string().max(64)).max(16).nullish(),
  audio: z
    .object({
      output: z.object({ voice: Voice, speed: z.number().nullish(), format: Format }).nullish(),
      input: z
        .object({ format: Format, turn_detection: TurnDetectionSchema, transcription: Transcription })
        .nullish(),
    })
    .nullish(),
});
export type SessionUpdate = z.output<typeof SessionSchema>;

/** Applies an update to a configuration. Throws a `RealtimeError` for unsupported values. */
export function updateConfig(config: RealtimeConfig, update: SessionUpdate): RealtimeConfig {
  const { output, input } = update.audio ?? {};
  const modalities = update.output_modalities ?? update.modalities;
  if (modalities && !modalities.includes('audio')) {
    throw new RealtimeError('unsupported_modalities', 'The modality `audio` is required.');
  }
  const speed = output?.speed ?? update.speed ?? config.speed;
  if (speed < 0.5 || speed > 2) throw new RealtimeError('invalid_speed', 'speed must be in [0.5, 2.0]');
  const voice = output?.voice ?? update.voice ?? config.voice;
  const format = output?.format ?? update.output_audio_format;
  const inputFormat = input?.format ?? update.input_audio_format;
  return {
    voice: typeof voice === 'string' ? voice : voice.id,
    speed,
    output: format ? toFormat(format) : config.output,
    inputRateHz: inputFormat ? toInputRate(inputFormat) : config.inputRateHz,
    language: (input?.transcription ?? update.input_audio_transcription)?.language ?? config.language,
    turnDetection: toTurnDetection(
      input?.turn_detection === undefined ? update.turn_detection : input.turn_detection,
      config.turnDetection,
    ),
  };
}

/** Undefined keeps the current value; null turns the detection off. */
function toTurnDetection(
  given: z.output<typeof TurnDetectionSchema>,
  current: TurnDetection | undefined,
): TurnDetection | undefined {
  if (given === undefined) return current;
  const name = given?.type ?? 'none';
  if (name === 'none') return undefined;
  const type = TURN_DETECTIONS.find((known) => known === name);
  if (type !== undefined) return { type, interruptsResponse: given?.interrupt_response ?? true };
  throw new RealtimeError(
    'unsupported_turn_detection',
    'Turn detection is `server_vad`, `semantic_vad` or null.',
  );
}

function toFormat(given: NonNullable<z.output<typeof Format>>): AudioFormat {
  const { type, rate } = typeof given === 'string' ? { type: given, rate: undefined } : given;
  const known = Object.hasOwn(FORMATS, type) ? FORMATS[type] : undefined;
  if (known === undefined) throw new RealtimeError('unsupported_format', `There is no format \`${type}\`.`);
  return rate == null ? known : { ...known, rateHz: rate };
}

function toInputRate(given: NonNullable<z.output<typeof Format>>): number {
  const { format, rateHz } = toFormat(given);
  if (format === 'pcm') return rateHz;
  throw new RealtimeError('unsupported_format', 'The input format must be `audio/pcm`.');
}

/** The native TTS body for a text. */
export function toRealtimeBody(
  { voice, speed, output }: RealtimeConfig,
  text: string,
): z.input<typeof TtsRequestSchema> {
  return {
    text,
    reference_id: toReferenceId(voice, { hasPresets: false }),
    format: output.format,
    sample_rate: output.rateHz,
    prosody: { speed },
    latency: 'low',
  };
}

/** The configuration as a session object of the protocol. */
export function toSessionBody(
  { voice, speed, output, inputRateHz, language, turnDetection }: RealtimeConfig,
  context: { readonly id: string; readonly model: string; readonly isTranscription: boolean },
) {
  const transcription = { language: language ?? null };
  const turn_detection = turnDetection
    ? {
        type: turnDetection.type,
        create_response: false,
        interrupt_response: turnDetection.interruptsResponse,
      }
    : null;
  const input = { format: { type: 'audio/pcm', rate: inputRateHz }, turn_detection, transcription };
  const { id, model, isTranscription } = context;
  if (isTranscription) {
    return { type: 'transcription', object: 'realtime.transcription_session', id, model, audio: { input } };
  }
  const format = { type: `audio/${output.format}`, rate: output.rateHz };
  return {
    type: 'realtime',
    object: 'realtime.session',
    id,
    model,
    output_modalities: ['audio'],
    audio: { input, output: { format, voice, speed } },
  };
}
