/** Where recordings wait on disk. */
export interface UploadSpace {
  /** A place for one recording. Whatever happens to this process, it is gone when the next one starts. */
  create(): Promise<Upload>;
  /** The place of a recording that was kept. */
  pathOf(name: string): string;
  /** Removes a recording that was kept; it may be gone already. */
  discard(name: string): Promise<void>;
  /** Names of all recordings that were kept, with the time they came. */
  kept(): Promise<readonly { readonly name: string; readonly keptAtMs: number }[]>;
}

/** A recording that was just received. */
export interface Upload {
  readonly path: string;
  /** Keeps it beyond this request and this process, under a name. */
  keep(name: string): Promise<void>;
  /** Removes it, unless it was kept. */
  remove(): Promise<void>;
}
