import { buffer } from 'node:stream/consumers';
import type { Upload, UploadStore } from '../../domain/transcription/upload-store.ts';
import type { StoredAudio } from '../../domain/voices/intake/stored-audio.ts';
import { ApiError } from '../../errors.ts';
import { UploadedRecording } from './uploaded-recording.ts';

/** A file of a form, in memory. */
export interface FormFile {
  readonly filename: string;
  readonly bytes: Uint8Array;
}

/** A recording of a form. */
export interface FormRecording {
  readonly filename: string;
  readonly audio: StoredAudio;
}

/** A form in any encoding: the values of every field, in order. */
export type UploadForm = Readonly<Record<string, readonly unknown[]>>;

/** The name of a file that came without one. */
export const DEFAULT_FILENAME = 'upload';

/** Limits of every form, in every encoding. */
export const FIELDS_MAX = 256;
/** Maximum number of names of a form, and of items of a list, with those that are null. */
export const ITEMS_MAX = 1024;
export const FIELD_MAX_BYTES = 64 * 1024;
const FIELDS_TOTAL_MAX_BYTES = 2 * 1024 * 1024;
export const FILES_MAX = 32;
/** Files that are not recordings, such as images. */
const SMALL_FILE_MAX_BYTES = 8 * 1024 * 1024;

/** The fields of a form that are files. All others are plain values. */
export interface FileFields {
  /** Streamed to disk. */
  readonly recordings: readonly string[];
  /** Read into memory. */
  readonly files: readonly string[];
}

export interface FormBuilderOptions extends FileFields {
  /** Called with the size of each received part of a file. May throw. */
  readonly onFileBytes?: ((bytes: number) => void) | undefined;
  /** Called when the first recording begins to arrive. */
  readonly onRecording?: (() => void) | undefined;
  /** Limit of all files together. */
  readonly maxBytes: number;
  /** Whether a file may be given as base64 text. */
  readonly acceptsBase64: boolean;
  readonly uploads: Pick<UploadStore, 'create'>;
}

/** Collects the values of a form while it arrives, and applies the same limits to all encodings. */
export class FormBuilder {
  readonly #options: FormBuilderOptions;
  readonly #values = new Map<string, unknown[]>();
  readonly #uploads: Upload[] = [];
  #fileBytesLeft: number;
  #fieldBytesLeft = FIELDS_TOTAL_MAX_BYTES;
  #fieldCount = 0;
  #fileCount = 0;

  constructor(options: FormBuilderOptions) {
    this.#options = options;
    this.#fileBytesLeft = options.maxBytes;
  }

  get acceptsBase64(): boolean {
    return this.#options.acceptsBase64;
  }

  /** Whether the values of a field are files. */
  isFile(field: string): boolean {
    const { recordings, files } = this.#options;
    return [...recordings, ...files].includes(baseName(field));
  }

  /** Adds a plain value that was encoded in `sizeBytes`. */
  addField(field: string, value: unknown, sizeBytes: number): void {
    this.#fieldCount++;
    if (this.#fieldCount > FIELDS_MAX) throw createTooManyPartsError();
    this.#fieldBytesLeft -= sizeBytes;
    if (this.#fieldBytesLeft < 0) throw createFieldTooLongError(field);
    this.#add(field, value);
  }

  /** Reads a file. The content of a file that the form does not declare is discarded. */
  async addFile(field: string, filename: string, content: AsyncIterable<Buffer>): Promise<void> {
    this.#fileCount++;
    if (this.#fileCount > FILES_MAX) throw createTooManyPartsError();
    const { recordings, files, uploads } = this.#options;
    const name = baseName(field);
    const bytes = this.#limitTotal(content);
    if (recordings.includes(name)) {
      if (this.#uploads.length === 0) this.#options.onRecording?.();
      const upload = await uploads.create();
      this.#uploads.push(upload);
      this.#add(field, {
        filename,
        audio: await UploadedRecording.receive(upload, bytes),
      } satisfies FormRecording);
    } else if (files.includes(name)) {
      const content = await buffer(limitSize(bytes, SMALL_FILE_MAX_BYTES, name));
      this.#add(field, { filename, bytes: content } satisfies FormFile);
    } else for await (const _ of bytes);
  }

  form(): UploadForm {
    return Object.fromEntries(this.#values);
  }

  /** Removes the recordings. Nothing may be added afterwards. */
  async dispose(): Promise<void> {
    await Promise.all(this.#uploads.map((upload) => upload.remove()));
  }

  async *#limitTotal(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of content) {
      this.#fileBytesLeft -= chunk.length;
      if (this.#fileBytesLeft < 0) throw createUploadTooLargeError(this.#options.maxBytes);
      this.#options.onFileBytes?.(chunk.length);
      yield chunk;
    }
  }

  #add(field: string, value: unknown): void {
    const name = baseName(field);
    // Names such as `__proto__` and `constructor`.
    if (name in Object.prototype)
      throw new ApiError('invalid_body', 'The form has a field with a reserved name.');
    const values = this.#values.get(name);
    if (values === undefined) this.#values.set(name, [value]);
    else values.push(value);
  }
}

/** The error for an upload above the limit of its route. */
export function createUploadTooLargeError(maxBytes: number): ApiError {
  return new ApiError(
    'request_too_large',
    `The upload is over the limit of ${Math.floor(maxBytes / 1e6)} MB of this server.`,
  );
}

/** The error for a field above the size limit. */
export function createFieldTooLongError(field: string): ApiError {
  return new ApiError('request_too_large', `\`${field.slice(0, 100)}\` is too long.`);
}

/** The error for a form with too many fields or files. */
export function createTooManyPartsError(): ApiError {
  return new ApiError('request_too_large', 'The form has too many parts.');
}

async function* limitSize(
  bytes: AsyncIterable<Buffer>,
  maxBytes: number,
  field: string,
): AsyncGenerator<Buffer> {
  let bytesLeft = maxBytes;
  for await (const chunk of bytes) {
    bytesLeft -= chunk.length;
    if (bytesLeft < 0) throw createFieldTooLongError(field);
    yield chunk;
  }
}

/** The name of a field without the suffix `[]`, which some clients add to the names of lists. */
function baseName(field: string): string {
  return field.endsWith('[]') ? field.slice(0, -2) : field;
}
