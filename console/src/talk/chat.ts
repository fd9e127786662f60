import { translate } from '../lib/i18n.ts';

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
const REASON_MAX = 300;

/** The answer of the chat server, in parts as they arrive. */
export async function* streamChat(
  server: ChatServer,
  messages: readonly ChatMessage[],
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const body = await requestChat(server, messages, signal);
  const decoder = new TextDecoder();
  let pending = '';
  for await (const bytes of readBody(body)) {
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

/** Sends the messages. Rejects with a reason for the user. */
async function requestChat(
  server: ChatServer,
  messages: readonly ChatMessage[],
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
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
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new Error(
      translate('The chat server cannot be reached. It must allow requests from this page (CORS).'),
    );
  });
  if (response.ok && response.body !== null) return response.body;
  const { status } = response;
  const reason = reasonOf(await response.text());
  throw new Error(translate('The chat server responded with {status}: {reason}', { status, reason }));
}

/** The message of an error in the format of OpenAI, or the start of any other body. */
function reasonOf(body: string): string {
  let message: unknown;
  try {
    message = (JSON.parse(body) as { error?: { message?: unknown } }).error?.message;
  } catch {
    // Not JSON: the body is the reason.
  }
  return (typeof message === 'string' ? message : body).slice(0, REASON_MAX);
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
