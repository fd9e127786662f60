import { ApiError } from '../../errors.ts';
import { decodeMsgpack } from '../bodies/decode-msgpack.ts';
import { decodeBase64 } from './base64-decoder.ts';
import { ByteReader } from './byte-reader.ts';
import {
  createFieldTooLongError,
  createTooManyPartsError,
  DEFAULT_FILENAME,
  FIELD_MAX_BYTES,
  type FormBuilder,
  ITEMS_MAX,
} from './form-builder.ts';
import {
  readArrayLength,
  readBinaryLength,
  readMapLength,
  readStringLength,
  readValueBytes,
} from './msgpack-value.ts';

/** Reads a form in MessagePack. Files are binary, or base64 strings where the form accepts them. */
export async function readMsgpackForm(source: AsyncGenerator<Buffer>, form: FormBuilder): Promise<void> {
  const reader = new ByteReader(source);
  try {
    const length = await readMapLength(reader, await reader.takeByte());
    if (length === undefined) throw createNotAMapError();
    for (let entry = 0; entry < length; entry++) {
      if (entry === ITEMS_MAX) throw createTooManyPartsError();
      const name = decodeMsgpack(await readFieldBytes(reader, 'A name'));
      if (typeof name !== 'string') throw createNotAMapError();
      const type = await reader.takeByte();
      const count = await readArrayLength(reader, type);
      if (count === undefined) await readItem(reader, form, name, type);
      for (let item = 0; item < (count ?? 0); item++) {
        if (item === ITEMS_MAX) throw createTooManyPartsError();
        await readItem(reader, form, name, await reader.takeByte());
      }
    }
    await reader.drain();
  } finally {
    await reader.close();
  }
}

async function readItem(reader: ByteReader, form: FormBuilder, field: string, type: number): Promise<void> {
  if (form.isFile(field)) {
    const binaryLength = await readBinaryLength(reader, type);
    if (binaryLength !== undefined) {
      return form.addFile(field, DEFAULT_FILENAME, reader.stream(binaryLength));
    }
    const stringLength = form.acceptsBase64 ? await readStringLength(reader, type) : undefined;
    if (stringLength !== undefined) {
      const text = decodeLatin1(reader.stream(stringLength));
      return form.addFile(field, DEFAULT_FILENAME, decodeBase64(text));
    }
  }
  const bytes = await readFieldBytes(reader, field, type);
  const value = decodeMsgpack(bytes);
  // Null is equivalent to an absent field.
  if (value !== null && value !== undefined) form.addField(field, value, bytes.length);
}

function readFieldBytes(reader: ByteReader, field: string, type?: number): Promise<Buffer> {
  return readValueBytes(reader, {
    maxBytes: FIELD_MAX_BYTES,
    type,
    tooLong: () => createFieldTooLongError(field),
  });
}

async function* decodeLatin1(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const chunk of bytes) yield chunk.toString('latin1');
}

function createNotAMapError(): ApiError {
  return new ApiError('invalid_body', 'The request body is not an object.');
}
