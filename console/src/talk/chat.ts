/** A chat server with the API of OpenAI. */
export interface ChatServer {
  readonly url: string;
  readonly model: string;
  readonly key: string;
}

export interface ChatMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

const SYSTEM =
  'You take part in a spoken conversation. Answer in one to three short sentences, without lists and markup.';
const HISTORY_MAX = 20;

/** The answer of the chat server, in parts as they arrive. */
export async function* streamChat(
  server: ChatServer,
  messages: readonly ChatMessage[],
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const response = await fetch(`${server.url.replace(/\/+$/, '')}/chat/completions`, {
    method: 'POST',
    signal,
    credentials: 'omit',
    headers: {
      'content-type': 'application/json',
      ...(server.key && { authorization: `Bearer ${server.key}` }),
    },
    body: JSON.stringify({
      model: server.model,
      stream: true,
      messages: [{ role: 'system', content: SYSTEM }, ...messages.slice(-HISTORY_MAX)],
    }),
  });
  if (!response.ok || response.body === null)
    throw new Error(`The chat server responded with ${response.status}.`);
  const decoder = new TextDecoder();
  let pending = '';
  for await (const bytes of readBody(response.body)) {
    const lines = (pending + decoder.decode(bytes, { stream: true })).split('\n');
    pending = lines.pop() ?? '';
    for (const line of lines) {
      const data = line.startsWith('data:') ? line.slice(5).trim() : '';
      if (data === '' || data === '[DONE]') continue;
      const part = (JSON.parse(data) as { choices?: { delta?: { content?: string } }[] }).choices?.[0]?.delta
        ?.content;
      if (part) yield part;
    }
  }
}

async function* readBody(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}
