import { buffer } from 'node:stream/consumers';
import { ApiError } from '../../errors.ts';
import { parseJson } from '../bodies/parse-json.ts';
import {
  createFieldTooLongError,
  DEFAULT_FILENAME,
  FIELD_MAX_BYTES,
  type FormBuilder,
} from './form-builder.ts';
import { type MultipartPart, MultipartReader } from './multipart-reader.ts';

/** Reads a form in `multipart/form-data`. */
export async function readMultipartForm(
  source: AsyncGenerator<Buffer>,
  form: FormBuilder,
  boundary: string,
): Promise<void> {
  for await (const part of new MultipartReader(source, boundary).parts()) {
    const { name, filename, contentType, content } = part;
    // Some clients send a file without a file name.
    const isFile =
      form.isFile(name) || filename !== undefined || contentType.startsWith('application/octet-stream');
    if (isFile) await form.addFile(name, filename ?? DEFAULT_FILENAME, content);
    else {
      const bytes = await buffer(limitField(part));
      form.addField(name, decodeField(bytes, contentType), bytes.length);
    }
  }
}

async function* limitField({ name, content }: MultipartPart): AsyncGenerator<Buffer> {
  let bytesLeft = FIELD_MAX_BYTES;
  for await (const chunk of content) {
    bytesLeft -= chunk.length;
    if (bytesLeft < 0) throw createFieldTooLongError(name);
    yield chunk;
  }
}

function decodeField(bytes: Buffer, contentType: string): unknown {
  try {
    const charset = /;\s*charset="?([\w-]+)/i.exec(contentType)?.[1] ?? 'utf-8';
    const text = new TextDecoder(charset).decode(bytes);
    return contentType.startsWith('application/json') ? parseJson(Buffer.from(text)) : text;
  } catch (cause) {
    throw new ApiError('invalid_body', 'A field of the form cannot be decoded.', { cause });
  }
}
