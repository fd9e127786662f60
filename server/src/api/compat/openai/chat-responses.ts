import type { TimedAudio } from '../../../domain/speech/timing/timed-audio.ts';
import type { TranscriptResponse } from '../../responses/transcript-response.ts';
import { toBase64Chunks } from '../base64-chunks.ts';
import type { ResponseFormat } from '../metered-compat-speech.ts';

/** The fields that every chat response contains. */
export interface ChatContext {
  readonly id: string;
  /** The model name that the client sent. */
  readonly model: string;
  readonly text: string;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const EVENTS_TYPE = 'text/event-stream; charset=utf-8';
/** Unix time until which the audio can be referenced again. Audio is not stored. */
const EXPIRES_AT = 0;
/** Placeholder in the JSON, replaced by the audio. */
const AUDIO_PLACEHOLDER = '@audio@';
const NO_USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** A completion with the audio file, streamed during synthesis. */
export function toAudioCompletion(context: ChatContext): ResponseFormat {
  const audio = {
    id: `audio_${context.id}`,
    data: AUDIO_PLACEHOLDER,
    expires_at: EXPIRES_AT,
    transcript: context.text,
  };
  const json = JSON.stringify(toCompletion(context, { content: null, audio }));
  // The first occurrence is the placeholder: text from the client comes after it.
  const offset = json.indexOf(AUDIO_PLACEHOLDER);
  return {
    contentType: JSON_TYPE,
    async *write(body) {
      yield Buffer.from(json.slice(0, offset));
      for await (const part of toBase64Chunks(audioOf(body))) yield Buffer.from(part);
      yield Buffer.from(json.slice(offset + AUDIO_PLACEHOLDER.length));
    },
  };
}

/** Server-sent events with audio chunks whose base64 can be concatenated. */
export function toAudioChunks(context: ChatContext): ResponseFormat {
  const id = `audio_${context.id}`;
  return {
    contentType: EVENTS_TYPE,
    async *write(body) {
      yield toEvent(toChunk(context, { role: 'assistant', audio: { id, transcript: context.text } }));
      for await (const data of toBase64Chunks(audioOf(body)))
        yield toEvent(toChunk(context, { audio: { id, data } }));
      yield toEvent(toChunk(context, { audio: { id, expires_at: EXPIRES_AT } }, 'stop'));
      yield DONE;
    },
  };
}

export function toTextCompletion(context: ChatContext): TranscriptResponse {
  return { contentType: JSON_TYPE, body: toCompletion(context, { content: context.text }) };
}

export function toTextChunks(context: ChatContext): TranscriptResponse {
  const events = [
    toEvent(toChunk(context, { role: 'assistant', content: context.text })),
    toEvent(toChunk(context, {}, 'stop')),
    DONE,
  ];
  return { contentType: EVENTS_TYPE, body: Buffer.concat(events).toString() };
}

function toCompletion(context: ChatContext, message: object) {
  const choice = {
    index: 0,
    message: { role: 'assistant', refusal: null, ...message },
    finish_reason: 'stop',
  };
  return { ...headOf(context, 'chat.completion'), choices: [{ ...choice, logprobs: null }], usage: NO_USAGE };
}

function toChunk(context: ChatContext, delta: object, finishReason: 'stop' | null = null) {
  const choice = { index: 0, delta, finish_reason: finishReason, logprobs: null };
  return { ...headOf(context, 'chat.completion.chunk'), choices: [choice] };
}

function headOf({ id, model }: ChatContext, object: string) {
  return { id: `chatcmpl-${id}`, object, created: Math.floor(Date.now() / 1000), model };
}

const DONE = Buffer.from('data: [DONE]\n\n');

function toEvent(data: object): Buffer {
  return Buffer.from(`data: ${JSON.stringify(data)}\n\n`);
}

async function* audioOf(body: AsyncIterable<TimedAudio>): AsyncGenerator<Uint8Array> {
  for await (const { audio } of body) yield audio;
}
