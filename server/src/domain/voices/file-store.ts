/** Keeps files by name. Names are made by us: words, digits, dots, dashes and slashes. */
export interface FileStore {
  /** Writes a whole file, or nothing. */
  write(name: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>;
  /** Undefined when there is no such file. */
  read(name: string): Promise<Uint8Array | undefined>;
  /** Removes a file, or all files below a folder. It need not exist. */
  remove(name: string): Promise<void>;
}
