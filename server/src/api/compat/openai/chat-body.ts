import type { Upload, UploadStore } from '../../../domain/transcription/upload-store.ts';
import { ApiError } from '../../../errors.ts';
import type { ValueBudget } from '../../bodies/parse-json.ts';
import { VALUES_MAX } from '../../bodies/value-limits.ts';
import { decodeBase64 } from '../../uploads/base64-decoder.ts';
import {
  createFieldTooLongError,
  createTooManyPartsError,
  createUploadTooLargeError,
} from '../../uploads/form-builder.ts';
import {
  ARRAY_START,
  createMalformedJsonError,
  JsonScanner,
  OBJECT_START,
  STRING_START,
} from '../../uploads/json-scanner.ts';
import { UploadedRecording } from '../../uploads/uploaded-recording.ts';

/** Maximum number of messages, and of parts in one message. */
export const LIST_MAX = 1024;
const FIELDS_MAX = 256;
const NAME_MAX_BYTES = 1024;

export interface ChatBodyOptions {
  readonly uploads: Pick<UploadStore, 'create'>;
  /** Maximum total size of the recordings. */
  readonly recordingsMaxBytes: number;
  /** Maximum total size of everything else. */
  readonly valuesMaxBytes: number;
  /** Called before a recording is read. May reject. */
  readonly allowRecording: () => Promise<void>;
  /** Called with the size of each decoded part of a recording. May throw. */
  readonly onRecordingBytes: (bytes: number) => void;
  /** Called with the size of everything but recordings that is in memory. May throw. */
  readonly holdBytes: (bytes: number) => void;
}

type Fields = Record<string, unknown>;

/**
 * Reads the JSON body of a chat request. Recordings are streamed to disk; in the body they are `UploadedRecording`s. Only
 * those of the last user message are kept, and of these only the first.
 */
export class ChatBodyReader {
  readonly #json: JsonScanner;
  readonly #options: ChatBodyOptions;
  readonly #budget: ValueBudget = { valuesLeft: VALUES_MAX };
  #valueBytes = 0;
  /** Received bytes of the value that is being read. */
  #pendingBytes = 0;
  #isRecording = false;
  #recordingBytesLeft: number;
  /** The recording of the last user message, and that of the message that is being read. */
  #kept: Upload | undefined;
  #current: Upload | undefined;

  constructor(source: AsyncGenerator<Buffer>, options: ChatBodyOptions) {
    this.#options = options;
    this.#json = new JsonScanner(this.#hold(source));
    this.#recordingBytesLeft = options.recordingsMaxBytes;
  }

  async read(): Promise<Fields> {
    try {
      if ((await this.#json.peek()) === undefined)
        throw new ApiError('invalid_body', 'The request body is empty.');
      const body = await this.#fields({ messages: [ARRAY_START, () => this.#list(() => this.#message())] });
      if ((await this.#json.peek()) !== undefined) throw createMalformedJsonError();
      return body;
    } finally {
      await this.#json.close();
    }
  }

  /** Removes the recordings. Call it when `read` has ended. */
  async dispose(): Promise<void> {
    await Promise.all([this.#kept?.remove(), this.#current?.remove()]);
  }

  async #message(): Promise<unknown> {
    if ((await this.#json.peek()) !== OBJECT_START) return this.#value();
    const message = await this.#fields({ content: [ARRAY_START, () => this.#list(() => this.#part())] });
    const isUser = message.role === 'user';
    const obsolete = isUser ? this.#kept : this.#current;
    if (isUser) this.#kept = this.#current;
    this.#current = undefined;
    await obsolete?.remove();
    return message;
  }

  async #part(): Promise<unknown> {
    if ((await this.#json.peek()) !== OBJECT_START) return this.#value();
    return this.#fields({
      input_audio: [OBJECT_START, () => this.#fields({ data: [STRING_START, () => this.#recording()] })],
    });
  }

  /** Reads an object. A field with a reader is read by it if its value starts with the given character. */
  async #fields(
    readers: Readonly<Record<string, readonly [number | undefined, () => Promise<unknown>]>>,
  ): Promise<Fields> {
    const fields = new Map<string, unknown>();
    let count = 0;
    for await (const _ of this.#json.items('{', '}')) {
      if (++count > FIELDS_MAX) throw createTooManyPartsError();
      const name = await this.#name();
      const [first, read] = Object.hasOwn(readers, name) ? readers[name]! : [];
      const isRead = read !== undefined && (await this.#json.peek()) === first;
      fields.set(name, isRead ? await read() : await this.#value());
    }
    return Object.fromEntries(fields);
  }

  async #name(): Promise<string> {
    const { value } = await this.#json.value(NAME_MAX_BYTES, () => createFieldTooLongError('A name'));
    if (typeof value !== 'string') throw createMalformedJsonError();
    await this.#json.expect(':');
    return value;
  }

  async #list(readItem: () => Promise<unknown>): Promise<unknown[]> {
    const items: unknown[] = [];
    for await (const _ of this.#json.items('[', ']')) {
      if (items.length === LIST_MAX) throw createTooManyPartsError();
      items.push(await readItem());
    }
    return items;
  }

  async #value(): Promise<unknown> {
    const { valuesMaxBytes, holdBytes } = this.#options;
    const createTooLargeError = () =>
      new ApiError('body_too_large', 'The body without its recordings is too large.');
    const { value, sizeBytes } = await this.#json.value(
      valuesMaxBytes - this.#valueBytes,
      createTooLargeError,
      this.#budget,
    );
    this.#valueBytes += sizeBytes;
    this.#pendingBytes = 0;
    holdBytes(this.#valueBytes);
    return value;
  }

  /** Passes the body through, and counts what is received of values. */
  async *#hold(source: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      if (!this.#isRecording) {
        this.#pendingBytes += chunk.length;
        this.#options.holdBytes(this.#valueBytes + this.#pendingBytes);
      }
      yield chunk;
    }
  }

  async #recording(): Promise<UploadedRecording | string> {
    await this.#options.allowRecording();
    this.#isRecording = true;
    try {
      return await this.#receive();
    } finally {
      this.#isRecording = false;
      this.#pendingBytes = 0;
    }
  }

  async #receive(): Promise<UploadedRecording | string> {
    const content = this.#limit(decodeBase64(this.#json.string()));
    if (this.#current !== undefined) {
      for await (const _ of content);
      return '';
    }
    this.#current = await this.#options.uploads.create();
    return UploadedRecording.receive(this.#current, content);
  }

  async *#limit(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of content) {
      this.#recordingBytesLeft -= chunk.length;
      if (this.#recordingBytesLeft < 0) throw createUploadTooLargeError(this.#options.recordingsMaxBytes);
      this.#options.onRecordingBytes(chunk.length);
      yield chunk;
    }
  }
}
