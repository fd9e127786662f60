import { once } from 'node:events';
import { pack, unpack } from 'msgpackr';
import { WebSocket } from 'ws';

/** A frame from the server, as it comes out of MessagePack. */
export interface ServerFrame {
  readonly event: string;
  readonly audio?: Uint8Array;
  readonly reason?: string;
  readonly message?: string;
  readonly error?: string;
  readonly code?: string;
  readonly content?: string;
  readonly alignment?: { readonly segments: readonly { readonly text: string }[] } | null;
  readonly chunk_seq?: number;
  readonly chunk_audio_offset_sec?: number;
}

/** A bare client of live speech, for looking at every frame. */
export class LiveClient {
  readonly socket: WebSocket;
  readonly frames: ServerFrame[] = [];
  /** Frames that were not binary. There must be none. */
  textFrames = 0;
  readonly closed: Promise<number>;
  #wake = () => {};

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data, isBinary) => {
      if (isBinary) this.frames.push(unpack(data as Buffer) as ServerFrame);
      else this.textFrames++;
      this.#wake();
    });
    this.closed = new Promise((resolve) => socket.once('close', resolve));
    // Told by whoever waits for the socket to open.
    socket.on('error', () => {});
    socket.on('close', () => this.#wake());
  }

  send(...frames: readonly object[]): void {
    for (const frame of frames) this.socket.send(pack(frame));
  }

  /** A whole session: the texts, then `stop`. Resolves with its frames. */
  async speak(texts: readonly string[], request: object = {}): Promise<ServerFrame[]> {
    const from = this.frames.length;
    this.send({ event: 'start', request: { text: '', format: 'pcm', ...request } });
    this.send(...texts.map((text) => ({ event: 'text', text })), { event: 'stop' });
    await this.until(() => this.frames.slice(from).some(({ event }) => event === 'finish'));
    return this.frames.slice(from);
  }

  /** Resolves when it is true, or the socket is closed. */
  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue() && this.socket.readyState !== WebSocket.CLOSED) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** Opens a live socket; rejects with `Unexpected server response: 401` and the like. */
export async function openLive(
  server: { readonly url: string; readonly key: string },
  options: { readonly path?: string; readonly headers?: Record<string, string> } = {},
): Promise<LiveClient> {
  const socket = new WebSocket(server.url.replace('http', 'ws') + (options.path ?? '/v1/tts/live'), {
    headers: { authorization: `Bearer ${server.key}`, model: 's1', ...options.headers },
  });
  const client = new LiveClient(socket);
  await once(socket, 'open');
  return client;
}

/** The audio of some frames, joined. */
export function audioOf(frames: readonly ServerFrame[]): Buffer {
  return Buffer.concat(frames.flatMap(({ audio }) => (audio ? [audio] : [])));
}
