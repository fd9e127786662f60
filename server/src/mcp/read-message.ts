import type { IncomingMessage } from 'node:http';

/** Maximum number of JSON-RPC messages in one request. Each may return audio. */
const BATCH_MAX = 4;
/** Maximum number of values of a message: one more than its separators, of which recordings in base64 have none. */
const VALUES_MAX = 200_000;
/** Time for a body, and the rate in bytes per millisecond of one that takes longer. */
const BODY_GRACE_MS = 10_000;
const BODY_BYTES_PER_MS_MIN = 16;
const SEPARATORS = new Set([...',:[{'].map((character) => character.charCodeAt(0)));

/** Memory of all bodies that are being received or processed. */
export class BodyBudget {
  readonly #maxBytes: number;
  #heldBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** False when the bodies would exceed the limit together. */
  tryAdd(bytes: number): boolean {
    if (this.#heldBytes + bytes > this.#maxBytes) return false;
    this.#heldBytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#heldBytes -= bytes;
  }
}

/** The body of a request, or the reason why it is refused. */
export type ReadMessage =
  | { readonly kind: 'message'; readonly message: unknown }
  | { readonly kind: 'refused'; readonly status: number; readonly reason: string };

const refused = (status: number, reason: string): ReadMessage => ({ kind: 'refused', status, reason });

/** Reads and parses a request. `onBytes` is called with the size of each part; false refuses the request. */
export async function readMessage(
  request: IncomingMessage,
  {
    maxBytes,
    onBytes,
    graceMs = BODY_GRACE_MS,
  }: {
    readonly maxBytes: number;
    readonly onBytes: (bytes: number) => boolean;
    readonly graceMs?: number;
  },
): Promise<ReadMessage> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  let values = 1;
  // The connection stays open for the refusal.
  const body = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  const startMs = performance.now();
  for (;;) {
    const remainingMs = startMs + graceMs + sizeBytes / BODY_BYTES_PER_MS_MIN - performance.now();
    const next = await nextWithin(body, remainingMs);
    if (next === undefined) return refused(408, 'The request arrives too slowly.');
    if (next.done === true) break;
    const chunk = next.value;
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) return refused(413, 'The request is too large.');
    if (!onBytes(chunk.length)) return refused(503, 'Too many large requests.');
    values += countSeparators(chunk);
    if (values > VALUES_MAX) return refused(413, 'The request has too many values.');
    chunks.push(chunk);
  }
  const message = parseJson(Buffer.concat(chunks));
  if (message === undefined) return refused(400, 'The request is not valid JSON.');
  if (Array.isArray(message) && message.length > BATCH_MAX)
    return refused(413, `A request has at most ${BATCH_MAX} messages.`);
  return { kind: 'message', message };
}

/** The next part; undefined when it does not arrive in time. */
async function nextWithin(
  body: AsyncIterator<Buffer>,
  timeMs: number,
): Promise<IteratorResult<Buffer> | undefined> {
  const next = body.next();
  // It rejects later, when the connection of a refused request ends.
  next.catch(() => {});
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, timeMs), undefined);
  });
  try {
    return await Promise.race([next, late]);
  } finally {
    clearTimeout(timer);
  }
}

function countSeparators(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (SEPARATORS.has(byte)) count++;
  return count;
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
