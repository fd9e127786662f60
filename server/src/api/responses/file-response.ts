import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { streamBytes } from './byte-stream.ts';

export interface FileResponseOptions {
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A client that reads nothing for this time is disconnected. */
  readonly stallMs: number;
}

/** Sends a file from disk. Memory does not depend on its size or on the rate of the client. */
export async function sendFile(
  reply: FastifyReply,
  path: string,
  { contentType, headers = {}, stallMs }: FileResponseOptions,
): Promise<void> {
  const { size } = await stat(path);
  reply.headers({ ...headers, 'content-type': contentType, 'content-length': String(size) });
  // A response to HEAD keeps the length of a stream.
  if (reply.request.method === 'HEAD') await reply.send(Readable.from([]));
  else await streamBytes(reply, createReadStream(path) as AsyncIterable<Buffer>, { headers: {}, stallMs });
}

/** The first bytes of a file. */
export async function readHead(path: string, maxBytes: number): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(maxBytes), position: 0 });
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
