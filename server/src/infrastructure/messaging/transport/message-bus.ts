/** A received message. */
export interface BusMessage {
  readonly subject: string;
  readonly payload: Uint8Array;
  /** Nothing receives the message that this process sent with `subject` as its reply subject. */
  readonly isNoResponder: boolean;
}

/** Publish and subscribe, at most once. Messages sent while disconnected are dropped. */
export interface MessageBus {
  publish(subject: string, payload: Uint8Array, options?: { readonly replyTo?: string }): void;
  subscribe(subject: string, onMessage: (message: BusMessage) => void): void;
  /** Calls the listener with each loss of the connection and each reconnection. */
  onConnection(listener: (isConnected: boolean) => void): void;
  /** Resolves when everything published so far has reached the server. */
  flush(): Promise<void>;
  close(): Promise<void>;
}
