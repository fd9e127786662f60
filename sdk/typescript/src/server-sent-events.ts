/** The data of each server-sent event. Throws when the stream ends inside one. */
export async function* readEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let pending = '';
  for await (const chunk of bytes) {
    pending += decoder.decode(chunk, { stream: true });
    for (let end = pending.indexOf('\n\n'); end >= 0; end = pending.indexOf('\n\n')) {
      const data = dataOf(pending.slice(0, end));
      pending = pending.slice(end + 2);
      if (data !== undefined) yield data;
    }
  }
  if (pending.trim() !== '') throw new SyntaxError('The event stream was cut inside an event.');
}

function dataOf(event: string): string | undefined {
  const lines = event.split('\n').filter((line) => line.startsWith('data:'));
  return lines.length === 0 ? undefined : lines.map((line) => line.slice(5).replace(/^ /, '')).join('\n');
}
