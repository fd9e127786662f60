import { ApiError } from '../../errors.ts';
import { decodeBase64 } from './base64-decoder.ts';
import {
  createFieldTooLongError,
  createTooManyPartsError,
  DEFAULT_FILENAME,
  FIELD_MAX_BYTES,
  type FormBuilder,
  ITEMS_MAX,
} from './form-builder.ts';
import {
  ARRAY_START,
  createMalformedJsonError,
  JsonScanner,
  OBJECT_START,
  STRING_START,
} from './json-scanner.ts';

/** Reads a form in JSON. Files are base64 strings, or Node's JSON representation of a `Buffer`. */
export async function readJsonForm(source: AsyncGenerator<Buffer>, form: FormBuilder): Promise<void> {
  const json = new JsonScanner(source);
  try {
    if ((await json.peek()) === undefined) throw new ApiError('invalid_body', 'The request body is empty.');
    if ((await json.peek()) !== OBJECT_START)
      throw new ApiError('invalid_body', 'The request body is not an object.');
    let names = 0;
    for await (const _ of json.items('{', '}')) {
      if (++names > ITEMS_MAX) throw createTooManyPartsError();
      const field = await readName(json);
      if ((await json.peek()) !== ARRAY_START) await readItem(json, form, field);
      else {
        let count = 0;
        for await (const _ of json.items('[', ']')) {
          if (++count > ITEMS_MAX) throw createTooManyPartsError();
          await readItem(json, form, field);
        }
      }
    }
    if ((await json.peek()) !== undefined) throw createMalformedJsonError();
  } finally {
    await json.close();
  }
}

async function readName(json: JsonScanner): Promise<string> {
  const { value } = await json.value(FIELD_MAX_BYTES, () => createFieldTooLongError('A name'));
  if (typeof value !== 'string') throw createMalformedJsonError();
  await json.expect(':');
  return value;
}

async function readItem(json: JsonScanner, form: FormBuilder, field: string): Promise<void> {
  const next = await json.peek();
  if (form.isFile(field) && form.acceptsBase64 && next === STRING_START) {
    await form.addFile(field, DEFAULT_FILENAME, decodeBase64(json.string()));
    return;
  }
  if (form.isFile(field) && next === OBJECT_START) {
    await readBuffer(json, form, field);
    return;
  }
  const { value, sizeBytes } = await json.value(FIELD_MAX_BYTES, () => createFieldTooLongError(field));
  // Null is equivalent to an absent field.
  if (value !== null) form.addField(field, value, sizeBytes);
}

/** Reads `{"type": "Buffer", "data": [82, 73, …]}`. */
async function readBuffer(json: JsonScanner, form: FormBuilder, field: string): Promise<void> {
  let hasData = false;
  let names = 0;
  for await (const _ of json.items('{', '}')) {
    if (++names > ITEMS_MAX) throw createTooManyPartsError();
    const name = await readName(json);
    if (name === 'data' && !hasData && (await json.peek()) === ARRAY_START) {
      hasData = true;
      await form.addFile(field, DEFAULT_FILENAME, json.bytes());
    } else await json.value(FIELD_MAX_BYTES, () => createFieldTooLongError(name));
  }
  if (!hasData) form.addField(field, {}, 0);
}
