import { once } from 'node:events';
import { pack, unpack } from 'msgpackr';
import { WebSocket } from 'ws';

/** A decoded frame from the server. */
export interface SpeechFrame {
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

/** A client of live speech that records every frame. */
export class LiveSpeechClient {
  readonly socket: WebSocket;
  readonly frames: SpeechFrame[] = [];
  /** Number of text messages. The server must send none. */
  textFrames = 0;
  readonly closed: Promise<number>;
  #wake = () => {};

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data, isBinary) => {
      if (isBinary) this.frames.push(unpack(data as Buffer) as SpeechFrame);
      else this.textFrames++;
      this.#wake();
    });
    this.closed = new Promise((resolve) => socket.once('close', resolve));
    // Reported by the caller that waits for `open`.
    socket.on('error', () => {});
    socket.on('close', () => this.#wake());
  }

  send(...frames: readonly object[]): void {
    for (const frame of frames) this.socket.send(pack(frame));
  }

  /** Runs one session with these texts. Resolves with its frames. */
  async speak(texts: readonly string[], request: object = {}): Promise<SpeechFrame[]> {
    const from = this.frames.length;
    this.send({ event: 'start', request: { text: '', format: 'pcm', ...request } });
    this.send(...texts.map((text) => ({ event: 'text', text })), { event: 'stop' });
    await this.until(() => this.frames.slice(from).some(({ event }) => event === 'finish'));
    return this.frames.slice(from);
  }

  /** Resolves when the condition is true or the socket is closed. */
  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue() && this.socket.readyState !== WebSocket.CLOSED) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** Opens a live speech socket. Rejects with, for example, `Unexpected server response: 401`. */
export async function openLiveSpeech(
  server: { readonly url: string; readonly key: string },
  options: { readonly path?: string; readonly headers?: Record<string, string> } = {},
): Promise<LiveSpeechClient> {
  const socket = new WebSocket(server.url.replace('http', 'ws') + (options.path ?? '/v1/tts/live'), {
    headers: { authorization: `Bearer ${server.key}`, model: 's1', ...options.headers },
  });
  const client = new LiveSpeechClient(socket);
  await once(socket, 'open');
  return client;
}

/** The concatenated audio of frames. */
export function audioOf(frames: readonly SpeechFrame[]): Buffer {
  return Buffer.concat(frames.flatMap(({ audio }) => (audio ? [audio] : [])));
}
