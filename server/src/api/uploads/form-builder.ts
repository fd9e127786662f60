import { buffer } from 'node:stream/consumers';
import type { Upload, UploadSpace } from '../../domain/transcription/upload-space.ts';
import type { StoredAudio } from '../../domain/voices/intake/stored-audio.ts';
import { ApiError } from '../../errors.ts';
import { tooLarge } from './received-form.ts';
import { UploadedAudio } from './uploaded-audio.ts';

/** A file in a form. */
export interface FormFile {
  readonly filename: string;
  readonly bytes: Uint8Array;
}

/** A recording in a form. */
export interface FormRecording {
  readonly filename: string;
  readonly audio: StoredAudio;
}

/** A form however it came: every field with all its values, in order. */
export type PlainForm = Readonly<Record<string, readonly unknown[]>>;

/** What may be in a form, whichever way it is written. */
export const FIELDS_MAX = 256;
export const FIELD_MAX_BYTES = 64 * 1024;
export const FILES_MAX = 32;
/** Files that are no recordings are small: pictures. */
const SMALL_FILE_MAX_BYTES = 8 * 1024 * 1024;

export interface FormBuilderOptions {
  /** All files together. */
  readonly maxBytes: number;
  /** Files that go to disk while they arrive. */
  readonly recordingFields: readonly string[];
  /** Small files. */
  readonly fileFields: readonly string[];
  readonly space: Pick<UploadSpace, 'create'>;
}

/** Puts a form together as its parts arrive, and holds all encodings to the same limits. */
export class FormBuilder {
  readonly #options: FormBuilderOptions;
  readonly #values = new Map<string, unknown[]>();
  readonly #uploads: Upload[] = [];
  #room: number;
  #fields = 0;
  #files = 0;

  constructor(options: FormBuilderOptions) {
    this.#options = options;
    this.#room = options.maxBytes;
  }

  /** Whether the values of a field are files. */
  isFile(field: string): boolean {
    const { recordingFields, fileFields } = this.#options;
    return [...recordingFields, ...fileFields].includes(plainName(field));
  }

  addField(field: string, value: unknown): void {
    this.#fields++;
    if (this.#fields > FIELDS_MAX) throw tooManyParts();
    this.#add(field, value);
  }

  /** Takes a file as it arrives. Those that nobody asks for are read and dropped. */
  async addFile(field: string, filename: string, content: AsyncIterable<Buffer>): Promise<void> {
    this.#files++;
    if (this.#files > FILES_MAX) throw tooManyParts();
    const { recordingFields, fileFields, space } = this.#options;
    const name = plainName(field);
    const bytes = this.#counted(content);
    if (recordingFields.includes(name)) {
      const upload = await space.create();
      this.#uploads.push(upload);
      this.#add(field, {
        filename,
        audio: await UploadedAudio.receive(upload, bytes),
      } satisfies FormRecording);
    } else if (fileFields.includes(name)) {
      const whole = await buffer(within(bytes, SMALL_FILE_MAX_BYTES, name));
      this.#add(field, { filename, bytes: whole } satisfies FormFile);
    } else for await (const _ of bytes);
  }

  form(): PlainForm {
    return Object.fromEntries(this.#values);
  }

  /** Removes the recordings. Nothing may be added after. */
  async dispose(): Promise<void> {
    await Promise.all(this.#uploads.map((upload) => upload.remove()));
  }

  async *#counted(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of content) {
      this.#room -= chunk.length;
      if (this.#room < 0) throw tooLarge(this.#options.maxBytes);
      yield chunk;
    }
  }

  #add(field: string, value: unknown): void {
    const name = plainName(field);
    const known = this.#values.get(name);
    if (known === undefined) this.#values.set(name, [value]);
    else known.push(value);
  }
}

/** The refusal of a value that is longer than any may be. */
export function fieldTooLong(field: string): ApiError {
  return new ApiError('request_too_large', `\`${field.slice(0, 100)}\` is too long.`);
}

/** The refusal of a form with more values than any may have. */
export function tooManyParts(cause?: unknown): ApiError {
  return new ApiError('request_too_large', 'The form has too many parts.', { cause });
}

async function* within(
  bytes: AsyncIterable<Buffer>,
  maxBytes: number,
  field: string,
): AsyncGenerator<Buffer> {
  let room = maxBytes;
  for await (const chunk of bytes) {
    room -= chunk.length;
    if (room < 0) throw fieldTooLong(field);
    yield chunk;
  }
}

/** Some clients call a list `tags[]`. */
function plainName(field: string): string {
  return field.endsWith('[]') ? field.slice(0, -2) : field;
}
