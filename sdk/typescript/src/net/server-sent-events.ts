import { ConnectionError, toApiError } from '../errors.ts';

/** A server-sent event. */
export interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** Parses server-sent events as they arrive. Throws the error of an `error` event, and at an incomplete last event. */
export async function* readEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent, void> {
  const decoder = new TextDecoder();
  let pending = '';
  for await (const chunk of bytes) {
    pending += decoder.decode(chunk, { stream: true });
    for (let end = pending.indexOf('\n\n'); end >= 0; end = pending.indexOf('\n\n')) {
      const lines = pending.slice(0, end).split('\n');
      pending = pending.slice(end + 2);
      const data = valuesOf('data', lines);
      const event = { event: valuesOf('event', lines)[0] ?? 'message', data: data.join('\n') };
      if (event.event === 'error')
        throw toApiError(JSON.parse(event.data) as { status: number; message: string });
      if (data.length > 0) yield event;
    }
  }
  if (pending.trim() !== '') throw new ConnectionError('The event stream ended inside an event.');
}

function valuesOf(field: string, lines: readonly string[]): readonly string[] {
  const own = lines.filter((line) => line.startsWith(`${field}:`));
  return own.map((line) => line.slice(field.length + 1).replace(/^ /, ''));
}
