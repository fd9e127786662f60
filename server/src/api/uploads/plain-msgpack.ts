import { ApiError } from '../../errors.ts';
import { decodedBase64 } from './base64-decoder.ts';
import { ByteReader } from './byte-reader.ts';
import { FIELD_MAX_BYTES, type FormBuilder, fieldTooLong } from './form-builder.ts';
import {
  readBinarySize,
  readListSize,
  readMapSize,
  readTextSize,
  readWholeValue,
  unpackValue,
} from './msgpack-value.ts';

/** Reads a form as MessagePack while it arrives: files are bytes, or base64. */
export async function readMsgpackForm(source: AsyncGenerator<Buffer>, form: FormBuilder): Promise<void> {
  const reader = new ByteReader(source);
  try {
    const first = (await reader.take(1))[0]!;
    const size = await readMapSize(reader, first);
    if (size === undefined) throw new ApiError('invalid_body', 'The request body is not an object.');
    for (let left = size; left > 0; left--) {
      const name = await readValue(reader, 'A name');
      if (typeof name !== 'string') throw new ApiError('invalid_body', 'The request body is not an object.');
      const type = (await reader.take(1))[0]!;
      const items = await readListSize(reader, type);
      if (items === undefined) await readItem(reader, form, name, type);
      for (let item = 0; item < (items ?? 0); item++) {
        await readItem(reader, form, name, (await reader.take(1))[0]!);
      }
    }
    await reader.drain();
  } finally {
    await reader.close();
  }
}

async function readItem(reader: ByteReader, form: FormBuilder, field: string, type: number): Promise<void> {
  const bytes = form.isFile(field) ? await readBinarySize(reader, type) : undefined;
  if (bytes !== undefined) return form.addFile(field, 'upload', reader.stream(bytes));
  const letters = form.isFile(field) ? await readTextSize(reader, type) : undefined;
  if (letters !== undefined)
    return form.addFile(field, 'upload', decodedBase64(asText(reader.stream(letters))));
  const value = await readValue(reader, field, type);
  // Null is as good as absent.
  if (value !== null && value !== undefined) form.addField(field, value);
}

async function readValue(reader: ByteReader, field: string, first?: number): Promise<unknown> {
  return unpackValue(await readWholeValue(reader, FIELD_MAX_BYTES, first, () => fieldTooLong(field)));
}

async function* asText(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const chunk of bytes) yield chunk.toString('latin1');
}
