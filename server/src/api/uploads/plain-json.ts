import { ApiError } from '../../errors.ts';
import { decodedBase64 } from './base64-decoder.ts';
import { FIELD_MAX_BYTES, type FormBuilder, fieldTooLong, tooManyParts } from './form-builder.ts';
import { JsonScanner, notJson } from './json-scanner.ts';

const [LIST, OBJECT, QUOTE] = [...'[{"'].map((character) => character.charCodeAt(0));
/** A list that goes on beyond this is no list of a form; the builder counts what is in it. */
const ITEMS_MAX = 1024;

/** Reads a form as JSON while it arrives: files are base64, or what Node makes of a `Buffer`. */
export async function readJsonForm(source: AsyncGenerator<Buffer>, form: FormBuilder): Promise<void> {
  const json = new JsonScanner(source);
  try {
    if ((await json.peek()) === undefined) throw new ApiError('invalid_body', 'The request body is empty.');
    if ((await json.peek()) !== OBJECT)
      throw new ApiError('invalid_body', 'The request body is not an object.');
    for await (const _ of json.items('{', '}')) {
      const field = await readName(json);
      if ((await json.peek()) !== LIST) await readItem(json, form, field);
      else {
        let count = 0;
        for await (const _ of json.items('[', ']')) {
          if (++count > ITEMS_MAX) throw tooManyParts();
          await readItem(json, form, field);
        }
      }
    }
    if ((await json.peek()) !== undefined) throw notJson();
  } finally {
    await json.close();
  }
}

async function readName(json: JsonScanner): Promise<string> {
  const name = await json.value(FIELD_MAX_BYTES, () => fieldTooLong('A name'));
  if (typeof name !== 'string') throw notJson();
  await json.expect(':');
  return name;
}

async function readItem(json: JsonScanner, form: FormBuilder, field: string): Promise<void> {
  const next = await json.peek();
  if (form.isFile(field) && next === QUOTE) {
    await form.addFile(field, 'upload', decodedBase64(json.string()));
    return;
  }
  if (form.isFile(field) && next === OBJECT) {
    await readBuffer(json, form, field);
    return;
  }
  const value = await json.value(FIELD_MAX_BYTES, () => fieldTooLong(field));
  // Null is as good as absent.
  if (value !== null) form.addField(field, value);
}

/** `{"type": "Buffer", "data": [82, 73, …]}`. */
async function readBuffer(json: JsonScanner, form: FormBuilder, field: string): Promise<void> {
  let hasData = false;
  for await (const _ of json.items('{', '}')) {
    const name = await readName(json);
    if (name === 'data' && !hasData && (await json.peek()) === LIST) {
      hasData = true;
      await form.addFile(field, 'upload', json.bytes());
    } else await json.value(FIELD_MAX_BYTES, () => fieldTooLong(name));
  }
  if (!hasData) form.addField(field, {});
}
