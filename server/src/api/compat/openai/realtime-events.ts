import { z } from 'zod';
import { parseBody } from '../../wire/validation.ts';
import { parseJsonMessage } from '../parse-json-message.ts';
import { splitAudioMessage } from '../split-audio-message.ts';
import { SessionSchema, type toSessionBody } from './realtime-config.ts';
import { RealtimeError, type RealtimeErrorBody } from './realtime-error.ts';

/** Maximum length of an id that a client chooses. */
const ID_CHARS_MAX = 512;
/** Maximum number of items in a list of a client event. */
const LIST_MAX = 1024;

const IdSchema = z.string().max(ID_CHARS_MAX);
const PartSchema = z.object({
  type: z.string().max(64),
  text: z.string().nullish(),
  audio: z.string().nullish(),
});
const ItemSchema = z.object({
  id: IdSchema.nullish(),
  content: z.array(PartSchema).max(LIST_MAX).nullish(),
});
const ResponseSchema = SessionSchema.extend({ input: z.array(ItemSchema).max(LIST_MAX).nullish() });

const APPEND = 'input_audio_buffer.append';
/** The message of a long append without its audio. */
const AppendSchema = z.object({
  type: z.literal(APPEND),
  audio: z.literal(''),
  event_id: IdSchema.optional().catch(undefined),
});
const ClientEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('session.update'), session: SessionSchema }),
  z.object({ type: z.literal('transcription_session.update'), session: SessionSchema }),
  z.object({ type: z.literal('conversation.item.create'), item: ItemSchema }),
  z.object({ type: z.literal('conversation.item.delete'), item_id: IdSchema }),
  z.object({ type: z.literal('conversation.item.truncate') }),
  z.object({ type: z.literal(APPEND), audio: z.string() }),
  z.object({ type: z.literal('input_audio_buffer.commit') }),
  z.object({ type: z.literal('input_audio_buffer.clear') }),
  z.object({ type: z.literal('response.create'), response: ResponseSchema.nullish() }),
  z.object({ type: z.literal('response.cancel') }),
]);
const CLIENT_EVENT_TYPES: ReadonlySet<unknown> = new Set(
  ClientEventSchema.options.flatMap(({ shape }) => [...shape.type.values]),
);

/** The part of a client event that an error event refers to. Parsing it never fails. */
const EnvelopeSchema = z
  .object({ type: z.unknown(), event_id: IdSchema.optional().catch(undefined) })
  .partial()
  .catch({});

export type RealtimeItem = z.output<typeof ItemSchema>;
export type RealtimeResponseOptions = z.output<typeof ResponseSchema>;

/** An event from the client of a realtime socket, other than audio. */
export type RealtimeClientEvent = Exclude<
  z.output<typeof ClientEventSchema>,
  { readonly type: typeof APPEND }
>;

/** A parsed message: its event id, and its event, the audio to append, or the error to send. */
export type RealtimeMessage =
  | { readonly kind: 'event'; readonly eventId: unknown; readonly event: RealtimeClientEvent }
  | { readonly kind: 'audio'; readonly eventId: unknown; readonly audio: Buffer }
  | { readonly kind: 'invalid'; readonly eventId: unknown; readonly error: unknown };

export function parseRealtimeMessage(data: Buffer): RealtimeMessage {
  let eventId: unknown;
  try {
    const split = splitAudioMessage(data, 'audio');
    const rest = split && AppendSchema.safeParse(parseJsonMessage(split.message));
    if (split && rest?.success) return { kind: 'audio', eventId: rest.data.event_id, audio: split.audio };
    const message = parseJsonMessage(data);
    const envelope = EnvelopeSchema.parse(message);
    eventId = envelope.event_id;
    if (!CLIENT_EVENT_TYPES.has(envelope.type)) {
      throw new RealtimeError('unknown_event_type', 'The event type is unknown.');
    }
    const event = parseBody(ClientEventSchema, message);
    return event.type === APPEND
      ? { kind: 'audio', eventId, audio: Buffer.from(event.audio, 'base64') }
      : { kind: 'event', eventId, event };
  } catch (error) {
    return { kind: 'invalid', eventId, error };
  }
}

type SessionBody = ReturnType<typeof toSessionBody>;

/** Where a delta belongs. */
interface ContentPosition {
  readonly response_id: string;
  readonly item_id: string;
  readonly output_index: number;
  readonly content_index: number;
}

interface TranscriptionPosition {
  readonly item_id: string;
  readonly content_index: number;
}

export interface ServerItem {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly object: 'realtime.item';
  readonly type: 'message';
  readonly status: 'completed' | 'in_progress' | 'incomplete';
  readonly content: readonly object[];
}

/** Why a response was cancelled: by the client, or because the user spoke. */
export type CancelReason = 'client_cancelled' | 'turn_detected';

export interface ServerResponse {
  readonly id: string;
  readonly object: 'realtime.response';
  readonly status: 'in_progress' | 'completed' | 'cancelled' | 'failed';
  readonly output: readonly ServerItem[];
  readonly output_modalities: readonly ['audio'];
  readonly status_details?:
    | null
    | { readonly type: 'cancelled'; readonly reason: CancelReason }
    | { readonly type: 'failed'; readonly error: RealtimeErrorBody };
}

interface AudioPart {
  readonly type: 'audio';
  readonly transcript: string;
}

/** The events of one response, in the order of the protocol. */
export type RealtimeResponseEvent =
  | { readonly type: 'response.created'; readonly response: ServerResponse }
  | {
      readonly type: 'response.output_item.added' | 'response.output_item.done';
      readonly response_id: string;
      readonly output_index: number;
      readonly item: ServerItem;
    }
  | ({
      readonly type: 'response.content_part.added' | 'response.content_part.done';
      readonly part: AudioPart;
    } & ContentPosition)
  | ({
      readonly type: 'response.output_audio_transcript.delta' | 'response.output_audio.delta';
      readonly delta: string;
    } & ContentPosition)
  | ({ readonly type: 'response.output_audio.done' } & ContentPosition)
  | ({
      readonly type: 'response.output_audio_transcript.done';
      readonly transcript: string;
    } & ContentPosition)
  | { readonly type: 'response.done'; readonly response: ServerResponse };

/** An event to the client of a realtime socket. `event_id` is added when it is sent. */
export type RealtimeServerEvent =
  | RealtimeResponseEvent
  | {
      readonly type:
        | 'session.created'
        | 'session.updated'
        | 'transcription_session.created'
        | 'transcription_session.updated';
      readonly session: SessionBody;
    }
  | {
      readonly type: 'conversation.item.added' | 'conversation.item.done';
      readonly item: ServerItem;
      readonly previous_item_id: null;
    }
  | { readonly type: 'conversation.item.deleted'; readonly item_id: string }
  | { readonly type: 'input_audio_buffer.cleared' }
  | {
      readonly type: 'input_audio_buffer.speech_started';
      readonly item_id: string;
      readonly audio_start_ms: number;
    }
  | {
      readonly type: 'input_audio_buffer.speech_stopped';
      readonly item_id: string;
      readonly audio_end_ms: number;
    }
  | {
      readonly type: 'input_audio_buffer.committed';
      readonly item_id: string;
      readonly previous_item_id: null;
    }
  | ({
      readonly type: 'conversation.item.input_audio_transcription.delta';
      readonly delta: string;
    } & TranscriptionPosition)
  | ({
      readonly type: 'conversation.item.input_audio_transcription.completed';
      readonly transcript: string;
      readonly usage: { readonly type: 'duration'; readonly seconds: number };
    } & TranscriptionPosition)
  | ({
      readonly type: 'conversation.item.input_audio_transcription.failed';
      readonly error: RealtimeErrorBody;
    } & TranscriptionPosition)
  | { readonly type: 'error'; readonly error: RealtimeErrorBody & { readonly event_id?: unknown } };
