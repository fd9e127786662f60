import type { TimedAudio } from '../../../domain/speech/timing/timed-audio.ts';
import type { TranscriptAnswer } from '../../responses/transcript-response.ts';
import { base64Parts } from '../base64-stream.ts';
import type { TimedAnswer } from '../compat-speech.ts';

/** What an answer in the shape of a chat says. */
export interface ChatFacts {
  readonly id: string;
  /** As the client named it. */
  readonly model: string;
  readonly text: string;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const EVENTS_TYPE = 'text/event-stream; charset=utf-8';
/** Until when the audio can be had again; it is not kept at all. */
const EXPIRED = 0;
/** Stands where the audio is written later. */
const AUDIO_MARK = '@audio@';
const NO_USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** One object with the whole file, written while it is made. */
export function audioAnswer(facts: ChatFacts): TimedAnswer {
  const audio = { id: `audio_${facts.id}`, data: AUDIO_MARK, expires_at: EXPIRED, transcript: facts.text };
  const json = JSON.stringify(toCompletion(facts, { content: null, audio }));
  // The first one is ours: what a client can write comes behind it.
  const place = json.indexOf(AUDIO_MARK);
  return {
    contentType: JSON_TYPE,
    async *write(body) {
      yield Buffer.from(json.slice(0, place));
      for await (const part of base64Parts(audioOf(body))) yield Buffer.from(part);
      yield Buffer.from(json.slice(place + AUDIO_MARK.length));
    },
  };
}

/** Events with the next audio; their base64 can be joined. */
export function audioChunks(facts: ChatFacts): TimedAnswer {
  const id = `audio_${facts.id}`;
  return {
    contentType: EVENTS_TYPE,
    async *write(body) {
      yield toEvent(toChunk(facts, { role: 'assistant', audio: { id, transcript: facts.text } }));
      for await (const data of base64Parts(audioOf(body)))
        yield toEvent(toChunk(facts, { audio: { id, data } }));
      yield toEvent(toChunk(facts, { audio: { id, expires_at: EXPIRED } }, 'stop'));
      yield DONE;
    },
  };
}

export function textAnswer(facts: ChatFacts): TranscriptAnswer {
  return { contentType: JSON_TYPE, body: toCompletion(facts, { content: facts.text }) };
}

export function textChunks(facts: ChatFacts): TranscriptAnswer {
  const events = [
    toEvent(toChunk(facts, { role: 'assistant', content: facts.text })),
    toEvent(toChunk(facts, {}, 'stop')),
    DONE,
  ];
  return { contentType: EVENTS_TYPE, body: Buffer.concat(events).toString() };
}

function toCompletion(facts: ChatFacts, message: object) {
  const choice = {
    index: 0,
    message: { role: 'assistant', refusal: null, ...message },
    finish_reason: 'stop',
  };
  return { ...headOf(facts, 'chat.completion'), choices: [{ ...choice, logprobs: null }], usage: NO_USAGE };
}

function toChunk(facts: ChatFacts, delta: object, finishReason: 'stop' | null = null) {
  const choice = { index: 0, delta, finish_reason: finishReason, logprobs: null };
  return { ...headOf(facts, 'chat.completion.chunk'), choices: [choice] };
}

function headOf({ id, model }: ChatFacts, object: string) {
  return { id: `chatcmpl-${id}`, object, created: Math.floor(Date.now() / 1000), model };
}

const DONE = Buffer.from('data: [DONE]\n\n');

function toEvent(data: object): Buffer {
  return Buffer.from(`data: ${JSON.stringify(data)}\n\n`);
}

async function* audioOf(body: AsyncIterable<TimedAudio>): AsyncGenerator<Uint8Array> {
  for await (const { audio } of body) yield audio;
}
