/** Persistent storage of files by name. Names consist of letters, digits, dots, hyphens, underscores and slashes. */
export interface FileStore {
  /** Writes a file atomically. */
  write(name: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>;
  /** Undefined for an unknown name. */
  read(name: string): Promise<Uint8Array | undefined>;
  /** The path of a file on disk, for worker processes. Undefined for an unknown name. */
  locate(name: string): Promise<string | undefined>;
  /** Removes a file or all files below a folder, if it exists. */
  remove(name: string): Promise<void>;
  /** Removes the copies on this server of the files below a folder, which another server has removed. */
  forget(folder: string): Promise<void>;
  /** Removes the copies on this server of all files that other servers have removed. */
  forgetRemoved(): Promise<void>;
}
