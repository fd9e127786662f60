import type { TimedAudio } from '../../../domain/speech/timing/timed-audio.ts';
import type { ResponseFormat } from '../metered-compat-speech.ts';

/** OpenAI's `stream_format: "sse"`: the audio file in events. */
export const SPEECH_EVENTS: ResponseFormat = {
  contentType: 'text/event-stream; charset=utf-8',
  write: (body, { text }) => writeEvents(body, text),
};

async function* writeEvents(body: AsyncIterable<TimedAudio>, text: string): AsyncGenerator<Uint8Array> {
  for await (const { audio } of body) {
    if (audio.length === 0) continue;
    const base64 = Buffer.from(audio.buffer, audio.byteOffset, audio.byteLength).toString('base64');
    yield toEvent({ type: 'speech.audio.delta', audio: base64 });
  }
  // Speech is billed per UTF-8 byte of its text, so that is the unit of the tokens.
  const bytes = Buffer.byteLength(text);
  const usage = { input_tokens: bytes, output_tokens: 0, total_tokens: bytes };
  yield toEvent({ type: 'speech.audio.done', usage });
}

function toEvent(event: object): Uint8Array {
  return Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
}
