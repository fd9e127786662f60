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

export interface AudioStreamOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** A client that takes nothing for so long is disconnected. */
  readonly stallMs: number;
}

/**
 * Sends audio as it is made, at the client's pace. When it fails midway the connection is cut, so that a
 * client can tell half a file from a whole one. However it ends, the source is told to stop.
 */
export async function streamAudio(
  reply: FastifyReply,
  audio: AsyncIterable<Uint8Array>,
  { headers, stallMs }: AudioStreamOptions,
): Promise<void> {
  reply.hijack();
  const response = reply.raw;
  try {
    response.writeHead(200, { ...toNodeHeaders(reply), ...headers });
    for await (const chunk of audio) {
      if (response.destroyed) return;
      if (!response.write(chunk)) await settled(response, 'drain', stallMs);
    }
    const finished = settled(response, 'finish', stallMs);
    response.end();
    await finished;
  } catch (error) {
    // A client that left is no failure of ours.
    if (response.destroyed) reply.log.debug('the client left during the stream');
    else reply.log.error({ err: error }, 'stream cut');
    response.destroy();
  }
}

function toNodeHeaders(reply: FastifyReply): Record<string, string | number | string[]> {
  return Object.fromEntries(
    Object.entries(reply.getHeaders()).filter(
      (entry): entry is [string, string | number | string[]] => entry[1] !== undefined,
    ),
  );
}

/** Waits for the event or for the end of the connection; throws when the client stalls. */
function settled(response: ServerResponse, event: 'drain' | 'finish', stallMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    if (response.destroyed) return resolve();
    const timer = setTimeout(() => done(new Error('The client stopped reading.')), stallMs);
    const onSettled = () => done();
    function done(error?: Error): void {
      clearTimeout(timer);
      response.off(event, onSettled);
      response.off('close', onSettled);
      if (error) reject(error);
      else resolve();
    }
    response.once(event, onSettled);
    response.once('close', onSettled);
  });
}
