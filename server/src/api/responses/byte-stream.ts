import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** Aborts when the client goes away before the answer is complete. */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new Error('The client closed the connection.'));
  });
  return controller.signal;
}

export interface ByteStreamOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** A client that takes nothing for so long is disconnected. */
  readonly stallMs: number;
}

/**
 * Sends bytes as they are made, at the client's pace. When it fails midway the connection is cut, so that a
 * client can tell half a file from a whole one. However it ends, the source is told to stop. Resolves with
 * whether the client got all of it.
 */
export async function streamBytes(
  reply: FastifyReply,
  bytes: AsyncIterable<Uint8Array>,
  { headers, stallMs }: ByteStreamOptions,
): Promise<boolean> {
  reply.hijack();
  const response = reply.raw;
  try {
    response.writeHead(200, Object.assign(toNodeHeaders(reply), headers));
    for await (const chunk of bytes) {
      if (response.destroyed) return false;
      if (!response.write(chunk)) await settled(response, 'drain', stallMs);
    }
    if (response.destroyed) return false;
    const finished = settled(response, 'finish', stallMs);
    response.end();
    return await finished;
  } catch (error) {
    // A client that left is no failure of ours.
    if (response.destroyed) reply.log.debug('the client left during the stream');
    else reply.log.error({ err: error }, 'stream cut');
    response.destroy();
    return false;
  }
}

/** A body that is there as a whole. */
export async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function toNodeHeaders(reply: FastifyReply): Record<string, string | number | string[]> {
  return Object.fromEntries(
    Object.entries(reply.getHeaders()).filter(
      (entry): entry is [string, string | number | string[]] => entry[1] !== undefined,
    ),
  );
}

/** Waits for the event, or for the end of the connection, and says whether it came; throws when the client stalls. */
function settled(response: ServerResponse, event: 'drain' | 'finish', stallMs: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    if (response.destroyed) return resolve(false);
    const timer = setTimeout(() => done(() => reject(new Error('The client stopped reading.'))), stallMs);
    const onEvent = () => done(() => resolve(true));
    const onClose = () => done(() => resolve(false));
    function done(finish: () => void): void {
      clearTimeout(timer);
      response.off(event, onEvent);
      response.off('close', onClose);
      finish();
    }
    response.once(event, onEvent);
    response.once('close', onClose);
  });
}
