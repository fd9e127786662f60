import type { Packable } from '../encoding/msgpack.ts';
import type { AudioInput } from '../types/index.ts';

/** Audio as a file part of a form. Streams are read to their end, so that a request can be retried. */
export async function toBlob(input: AudioInput): Promise<Blob> {
  if (input instanceof Blob) return input;
  return new Blob([(await toBytes(input)) as Uint8Array<ArrayBuffer>]);
}

/** Audio as bytes. */
export async function toBytes(input: AudioInput): Promise<Uint8Array> {
  if (input instanceof Uint8Array) return input;
  if (input instanceof ArrayBuffer) return new Uint8Array(input);
  if (input instanceof Blob) return new Uint8Array(await input.arrayBuffer());
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of input as AsyncIterable<Uint8Array>) chunks.push(chunk as Uint8Array<ArrayBuffer>);
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** A request's fields as a MessagePack map, with the audio of `references` as bytes. */
export async function toPackable(fields: Readonly<Record<string, unknown>>): Promise<Packable> {
  const { references, ...others } = fields;
  if (!Array.isArray(references)) return fields as Packable;
  const packed = references.map(async (reference: { audio: AudioInput; text?: string }) => ({
    text: reference.text ?? '',
    audio: await toBytes(reference.audio),
  }));
  return { ...(others as { readonly [key: string]: Packable }), references: await Promise.all(packed) };
}

/** A form with repeated keys for lists. Audio becomes file parts, other values text. Undefined values are omitted. */
export async function toForm(
  fields: Readonly<Record<string, unknown>>,
  files: Readonly<Record<string, readonly AudioInput[]>>,
): Promise<FormData> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null) form.append(name, String(item));
    }
  }
  for (const [name, inputs] of Object.entries(files)) {
    for (const input of inputs) form.append(name, await toBlob(input), fileName(input));
  }
  return form;
}

function fileName(input: AudioInput): string {
  return 'name' in input && typeof input.name === 'string' ? input.name : 'audio';
}
