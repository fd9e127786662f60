/** Storage of uploaded recordings, which arrive on the disk of this server. */
export interface UploadStore {
  /** Creates an empty upload. If this process dies, the next one to start deletes it. */
  create(): Promise<Upload>;
  /** A stored recording on the disk of this server. */
  openLocal(name: string): Promise<LocalRecording>;
  /** Deletes a stored recording; a missing one is not an error. */
  discard(name: string): Promise<void>;
  /** Names of all stored recordings, with the time they were stored. */
  listStored(): Promise<readonly { readonly name: string; readonly storedAtMs: number }[]>;
}

/** A recording that was just received. */
export interface Upload {
  readonly path: string;
  /** Stores the recording under `name`, beyond the lifetime of the request and of the process. */
  store(name: string): Promise<void>;
  /** Deletes the recording unless it was stored. */
  remove(): Promise<void>;
}

/** A recording on disk. It must be released. */
export interface LocalRecording {
  readonly path: string;
  release(): Promise<void>;
}
