import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createFolder } from '../../create-folder.ts';

/** An entry that was used this recently may be about to be read; it stays while the cache is below twice its size. */
const IN_USE_MS = 5 * 60_000;
const UNFINISHED = '.unfinished';
/** Replaces slashes of names. Names of files contain neither this character nor the next. */
const SLASH = '+';
const BEFORE_VERSION = '@';

interface Entry {
  readonly sizeBytes: number;
  usedAtMs: number;
}

/** Copies of remote files on disk, by name and version. The least recently used ones are removed above `maxBytes`. */
export class FileCache {
  readonly #root: string;
  readonly #maxBytes: number;
  /** By file name, the least recently used first. Undefined until the folder was read. */
  #entries: Promise<Map<string, Entry>> | undefined;

  constructor(root: string, maxBytes: number) {
    this.#root = root;
    this.#maxBytes = maxBytes;
  }

  /** The path of this version of a file. Undefined when it is not cached. */
  async find(name: string, version: string): Promise<string | undefined> {
    const file = fileOf(name, version);
    const entries = await this.#open();
    const entry = entries.get(file);
    if (entry === undefined) return undefined;
    const path = join(this.#root, file);
    if ((await stat(path).catch(() => undefined)) === undefined) {
      entries.delete(file);
      return undefined;
    }
    entry.usedAtMs = Date.now();
    entries.delete(file);
    entries.set(file, entry);
    await utimes(path, new Date(), new Date()).catch(() => {});
    return path;
  }

  /** The path of the version that was used last, for the time in which the current version is unknown. */
  async findAny(name: string): Promise<string | undefined> {
    const prefix = prefixOf(name);
    const files = [...(await this.#open()).keys()].filter((file) => file.startsWith(prefix));
    const last = files.at(-1);
    return last && join(this.#root, last);
  }

  /** Stores a version of a file and returns its path. */
  async add(name: string, version: string, content: AsyncIterable<Uint8Array>): Promise<string> {
    const entries = await this.#open();
    const file = fileOf(name, version);
    const path = join(this.#root, file);
    const unfinished = join(this.#root, `${randomUUID()}${UNFINISHED}`);
    try {
      await pipeline(content, createWriteStream(unfinished, { mode: 0o600 }));
      const { size } = await stat(unfinished);
      await this.remove(name);
      await rename(unfinished, path);
      entries.set(file, { sizeBytes: size, usedAtMs: Date.now() });
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
    await this.#evict(entries);
    return path;
  }

  /** Removes all versions of a file. */
  remove(name: string): Promise<void> {
    return this.#removeAll(prefixOf(name));
  }

  /** Removes all files below a folder. */
  removeFolder(name: string): Promise<void> {
    return this.#removeAll(`${encode(name)}${SLASH}`);
  }

  /** Names of the files. */
  async names(): Promise<ReadonlySet<string>> {
    const files = [...(await this.#open()).keys()];
    return new Set(files.map((file) => decode(file.slice(0, file.indexOf(BEFORE_VERSION)))));
  }

  async #removeAll(prefix: string): Promise<void> {
    const entries = await this.#open();
    for (const file of [...entries.keys()].filter((file) => file.startsWith(prefix))) {
      entries.delete(file);
      await rm(join(this.#root, file), { force: true });
    }
  }

  async #evict(entries: Map<string, Entry>): Promise<void> {
    let size = 0;
    for (const { sizeBytes } of entries.values()) size += sizeBytes;
    const unusedSinceMs = Date.now() - IN_USE_MS;
    for (const [file, { sizeBytes, usedAtMs }] of [...entries]) {
      if (size <= this.#maxBytes) return;
      if (usedAtMs > unusedSinceMs && size <= 2 * this.#maxBytes) return;
      entries.delete(file);
      size -= sizeBytes;
      await rm(join(this.#root, file), { force: true });
    }
  }

  #open(): Promise<Map<string, Entry>> {
    this.#entries ??= this.#readFolder();
    return this.#entries;
  }

  async #readFolder(): Promise<Map<string, Entry>> {
    await createFolder(this.#root, 0o700);
    const found: [string, Entry][] = [];
    for (const file of await readdir(this.#root)) {
      if (file.endsWith(UNFINISHED)) continue;
      // Earlier versions of this program had names without the name of the file.
      if (!file.includes(BEFORE_VERSION)) {
        await rm(join(this.#root, file), { force: true });
        continue;
      }
      const facts = await stat(join(this.#root, file)).catch(() => undefined);
      if (facts !== undefined) found.push([file, { sizeBytes: facts.size, usedAtMs: facts.mtimeMs }]);
    }
    return new Map(found.sort(([, a], [, b]) => a.usedAtMs - b.usedAtMs));
  }
}

function encode(name: string): string {
  return name.replaceAll('/', SLASH);
}

function decode(encoded: string): string {
  return encoded.replaceAll(SLASH, '/');
}

function prefixOf(name: string): string {
  return `${encode(name)}${BEFORE_VERSION}`;
}

function fileOf(name: string, version: string): string {
  return prefixOf(name) + createHash('sha256').update(version).digest('hex').slice(0, 32);
}
