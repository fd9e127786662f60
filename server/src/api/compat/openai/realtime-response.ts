import { randomUUID } from 'node:crypto';
import type { SpeechServerFrame } from '../../websocket/live-speech-frames.ts';
import { toRealtimeErrorBody } from './realtime-error.ts';
import type { CancelReason, RealtimeResponseEvent, ServerItem, ServerResponse } from './realtime-events.ts';

/** The events of one response of a realtime socket. */
export class RealtimeResponse {
  readonly text: string;
  readonly #id = `resp_${randomUUID()}`;
  readonly #itemId = `item_${randomUUID()}`;

  constructor(text: string) {
    this.text = text;
  }

  /** The events before the first audio. */
  begin(): RealtimeResponseEvent[] {
    const item = this.#item('in_progress', []);
    return [
      { type: 'response.created', response: this.#response('in_progress', []) },
      { type: 'response.output_item.added', response_id: this.#id, output_index: 0, item },
      { type: 'response.content_part.added', ...this.#position(), part: { type: 'audio', transcript: '' } },
      { type: 'response.output_audio_transcript.delta', ...this.#position(), delta: this.text },
    ];
  }

  /** The events for a frame of live speech. */
  encode(frame: SpeechServerFrame): RealtimeResponseEvent[] {
    if (frame.event !== 'audio' || frame.audio.length === 0) return [];
    const delta = Buffer.from(frame.audio).toString('base64');
    return [{ type: 'response.output_audio.delta', ...this.#position(), delta }];
  }

  complete(): RealtimeResponseEvent[] {
    return [...this.#end('completed'), this.#done('completed', null)];
  }

  cancel(reason: CancelReason): RealtimeResponseEvent[] {
    return [...this.#end('incomplete'), this.#done('cancelled', { type: 'cancelled', reason })];
  }

  fail(error: unknown): RealtimeResponseEvent[] {
    return [this.#done('failed', { type: 'failed', error: toRealtimeErrorBody(error) })];
  }

  #end(status: 'completed' | 'incomplete'): RealtimeResponseEvent[] {
    const part = { type: 'audio', transcript: this.text } as const;
    return [
      { type: 'response.output_audio.done', ...this.#position() },
      { type: 'response.output_audio_transcript.done', ...this.#position(), transcript: this.text },
      { type: 'response.content_part.done', ...this.#position(), part },
      {
        type: 'response.output_item.done',
        response_id: this.#id,
        output_index: 0,
        item: this.#item(status, [{ type: 'output_audio', transcript: this.text }]),
      },
    ];
  }

  #done(
    status: 'completed' | 'cancelled' | 'failed',
    details: NonNullable<ServerResponse['status_details']> | null,
  ): RealtimeResponseEvent {
    const output =
      status === 'completed' ? [this.#item(status, [{ type: 'output_audio', transcript: this.text }])] : [];
    return {
      type: 'response.done',
      response: { ...this.#response(status, output), status_details: details },
    };
  }

  #position() {
    return { response_id: this.#id, item_id: this.#itemId, output_index: 0, content_index: 0 };
  }

  #item(status: ServerItem['status'], content: readonly object[]): ServerItem {
    return { id: this.#itemId, object: 'realtime.item', type: 'message', status, role: 'assistant', content };
  }

  #response(status: ServerResponse['status'], output: readonly ServerItem[]): ServerResponse {
    return { id: this.#id, object: 'realtime.response', status, output, output_modalities: ['audio'] };
  }
}
