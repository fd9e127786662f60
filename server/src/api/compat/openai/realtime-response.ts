import { randomUUID } from 'node:crypto';
import type { ServerFrame } from '../../websocket/live-frames.ts';
import { toRealtimeError } from './realtime-error.ts';

/** One answer of the server: the events that tell of it, in the order of the protocol. */
export class RealtimeResponse {
  readonly text: string;
  readonly #id = `resp_${randomUUID()}`;
  readonly #itemId = `item_${randomUUID()}`;

  constructor(text: string) {
    this.text = text;
  }

  /** Before the first audio. */
  begin(): object[] {
    const item = this.#item('in_progress', []);
    return [
      { type: 'response.created', response: this.#response('in_progress', []) },
      { type: 'response.output_item.added', response_id: this.#id, output_index: 0, item },
      { type: 'response.content_part.added', ...this.#place(), part: { type: 'audio', transcript: '' } },
      { type: 'response.output_audio_transcript.delta', ...this.#place(), delta: this.text },
    ];
  }

  /** What a frame of live speech means here. */
  write(frame: ServerFrame): object[] {
    if (frame.event !== 'audio' || frame.audio.length === 0) return [];
    const delta = Buffer.from(frame.audio).toString('base64');
    return [{ type: 'response.output_audio.delta', ...this.#place(), delta }];
  }

  /** Everything was said. */
  complete(): object[] {
    return [...this.#end('completed'), this.#done('completed')];
  }

  /** The client did not want to hear the rest. */
  cancel(): object[] {
    const details = { type: 'cancelled', reason: 'client_cancelled' };
    return [...this.#end('incomplete'), this.#done('cancelled', details)];
  }

  fail(error: unknown): object[] {
    return [this.#done('failed', { type: 'failed', error: toRealtimeError(error) })];
  }

  #end(status: string): object[] {
    const part = { type: 'audio', transcript: this.text };
    return [
      { type: 'response.output_audio.done', ...this.#place() },
      { type: 'response.output_audio_transcript.done', ...this.#place(), transcript: this.text },
      { type: 'response.content_part.done', ...this.#place(), part },
      {
        type: 'response.output_item.done',
        response_id: this.#id,
        output_index: 0,
        item: this.#item(status, [{ type: 'output_audio', transcript: this.text }]),
      },
    ];
  }

  #done(status: string, details: object | null = null): object {
    const isSaid = status === 'completed';
    const output = isSaid ? [this.#item(status, [{ type: 'output_audio', transcript: this.text }])] : [];
    return {
      type: 'response.done',
      response: { ...this.#response(status, output), status_details: details },
    };
  }

  #place() {
    return { response_id: this.#id, item_id: this.#itemId, output_index: 0, content_index: 0 };
  }

  #item(status: string, content: object[]) {
    return { id: this.#itemId, object: 'realtime.item', type: 'message', status, role: 'assistant', content };
  }

  #response(status: string, output: object[]) {
    return { id: this.#id, object: 'realtime.response', status, output, output_modalities: ['audio'] };
  }
}
