import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ConnectionError, errorOf } from './errors.ts';
import { importNode } from './import-node.ts';
import type { RawSocket, SocketEvents } from './socket.ts';

/**
 * A WebSocket client (RFC 6455) over Node's own HTTP: Node 20 has none, and the one of later versions does not
 * tell why a server refused. Binary messages only, no extensions.
 */
export async function openNodeSocket(
  url: string,
  headers: Record<string, string>,
  events: SocketEvents,
): Promise<RawSocket> {
  const isSecure = url.startsWith('wss:');
  const { request } = await importNode<typeof import('node:http')>(isSecure ? 'node:https' : 'node:http');
  const { randomBytes, createHash } = await importNode<typeof import('node:crypto')>('node:crypto');
  const key = randomBytes(16).toString('base64');
  const handshake = request(url.replace(/^ws/, 'http'), {
    headers: {
      ...headers,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': key,
      'sec-websocket-version': '13',
    },
  });
  const { stream, head, answer } = await upgraded(handshake);
  const expected = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  if (answer.headers['sec-websocket-accept'] !== expected) {
    stream.destroy();
    throw new ConnectionError('The server does not speak WebSocket.');
  }
  return new NodeSocket(stream, head, events, () => randomBytes(4));
}

function upgraded(
  handshake: ClientRequest,
): Promise<{ stream: Duplex; head: Buffer; answer: IncomingMessage }> {
  return new Promise((resolve, reject) => {
    handshake.on('upgrade', (answer, stream, head) => resolve({ stream, head, answer }));
    handshake.on('error', (error) =>
      reject(new ConnectionError(`The server cannot be reached: ${error.message}.`, { cause: error })),
    );
    handshake.on('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => (text += chunk));
      const header = (name: string) => [answer.headers[name]].flat()[0];
      answer.on('end', () => reject(errorOf({ status: answer.statusCode ?? 500, text, header })));
    });
    handshake.end();
  });
}

const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
const NORMAL_CLOSE = Buffer.from([0x03, 0xe8]);
/** A peer that does not answer our close within this is cut off. */
const CLOSE_WAIT_MS = 2_000;

class NodeSocket implements RawSocket {
  readonly #stream: Duplex;
  readonly #events: SocketEvents;
  readonly #makeMask: () => Buffer;
  #pending: Buffer;
  #fragments: Buffer[] = [];
  #isBinary = false;
  #hasSentClose = false;

  constructor(stream: Duplex, head: Buffer, events: SocketEvents, makeMask: () => Buffer) {
    this.#stream = stream;
    this.#events = events;
    this.#makeMask = makeMask;
    this.#pending = head;
    stream.on('data', (chunk: Buffer) => {
      this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
      this.#readFrames();
    });
    stream.on('error', () => {});
    stream.on('close', () =>
      events.onClose(
        this.#hasSentClose ? undefined : new ConnectionError('The connection broke in mid-stream.'),
      ),
    );
    this.#readFrames();
  }

  get bufferedBytes(): number {
    return this.#stream.writableLength;
  }

  send(bytes: Uint8Array): void {
    this.#write(OPCODE.binary, bytes);
  }

  close(): void {
    if (this.#hasSentClose) return;
    this.#write(OPCODE.close, NORMAL_CLOSE);
    this.#endSending();
  }

  #endSending(): void {
    this.#hasSentClose = true;
    setTimeout(() => this.#stream.destroy(), CLOSE_WAIT_MS).unref();
  }

  /** A client masks what it sends. */
  #write(opcode: number, payload: Uint8Array): void {
    if (this.#hasSentClose || this.#stream.destroyed) return;
    const mask = this.#makeMask();
    const masked = Buffer.allocUnsafe(payload.length);
    for (let i = 0; i < payload.length; i++) masked[i] = (payload[i] as number) ^ (mask[i & 3] as number);
    this.#stream.write(Buffer.concat([frameHead(opcode, payload.length), mask, masked]));
  }

  #readFrames(): void {
    for (let frame = readFrame(this.#pending); frame; frame = readFrame(this.#pending)) {
      this.#pending = this.#pending.subarray(frame.size);
      this.#receive(frame);
    }
  }

  #receive({ opcode, isFinal, payload }: Frame): void {
    switch (opcode) {
      case OPCODE.ping:
        this.#write(OPCODE.pong, payload);
        return;
      case OPCODE.pong:
        return;
      case OPCODE.close:
        this.#write(OPCODE.close, payload.subarray(0, 2));
        this.#endSending();
        this.#stream.end();
        this.#events.onClose();
        return;
      default:
        if (opcode !== OPCODE.continuation) this.#isBinary = opcode === OPCODE.binary;
        this.#fragments.push(payload);
        if (!isFinal) return;
        if (this.#isBinary) this.#events.onMessage(Buffer.concat(this.#fragments));
        this.#fragments = [];
    }
  }
}

interface Frame {
  readonly opcode: number;
  readonly isFinal: boolean;
  readonly payload: Buffer;
  /** Bytes of the whole frame. */
  readonly size: number;
}

/** The first frame of the bytes, once it is whole. */
function readFrame(bytes: Buffer): Frame | undefined {
  if (bytes.length < 2) return undefined;
  const first = bytes[0] as number;
  const short = (bytes[1] as number) & 0x7f;
  const headSize = short === 127 ? 10 : short === 126 ? 4 : 2;
  if (bytes.length < headSize) return undefined;
  const length =
    short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short;
  const size = headSize + length;
  if (bytes.length < size) return undefined;
  const payload = bytes.subarray(headSize, size);
  return { opcode: first & 0x0f, isFinal: (first & 0x80) !== 0, payload, size };
}

function frameHead(opcode: number, length: number): Buffer {
  const first = 0x80 | opcode;
  if (length < 126) return Buffer.from([first, 0x80 | length]);
  if (length < 65_536) return Buffer.from([first, 0x80 | 126, length >> 8, length & 0xff]);
  const head = Buffer.alloc(10);
  head[0] = first;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}
