/** Events of a socket implementation. */
export interface SocketEvents {
  onMessage(bytes: Uint8Array): void;
  /** Called once. Without an error the peer closed the connection properly. */
  onClose(error?: Error): void;
}

/** A connection of a socket implementation. */
export interface RawSocket {
  send(bytes: Uint8Array): void;
  readonly bufferedBytes: number;
  close(): void;
}

/**
 * Connects. Rejects with the server's error when it rejects the handshake, and with the reason of the signal, after
 * closing the connection, when that aborts.
 */
export type Connector = (
  url: string,
  options: {
    readonly headers: Readonly<Record<string, string>>;
    readonly messageMaxBytes: number;
    readonly signal: AbortSignal;
    readonly events: SocketEvents;
  },
) => Promise<RawSocket>;
