import { Packr } from 'msgpackr';
import { encodeWavFile } from '../../../src/audio/encode/wav.ts';
import { synthesizeTalk } from '../voices/synthetic-talk.ts';

/** Recordings and an image for tests. */
export const RECORDING = Buffer.from(
  encodeWavFile({ samples: synthesizeTalk({ seconds: 8, sampleRateHz: 16000 }), sampleRateHz: 16000 }),
);
export const OTHER_RECORDING = Buffer.from(
  encodeWavFile({
    samples: synthesizeTalk({ seconds: 5, sampleRateHz: 16000, seed: 9 }),
    sampleRateHz: 16000,
  }),
);
export const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** The fields of a form. Byte arrays are files. */
export type Fields = Readonly<Record<string, string | Uint8Array | readonly (string | Uint8Array)[]>>;

/** Creates a multipart form. Byte arrays become files. */
export function form(fields: Fields): FormData {
  const data = new FormData();
  for (const [name, values] of Object.entries(fields)) {
    for (const value of typeof values === 'string' || values instanceof Uint8Array ? [values] : values) {
      if (typeof value === 'string') data.append(name, value);
      else data.append(name, new Blob([new Uint8Array(value)]), 'upload');
    }
  }
  return data;
}

const packr = new Packr({ useRecords: false });
const asJson = (fields: Fields, write: (bytes: Uint8Array) => unknown) => {
  const written = (value: string | Uint8Array) => (typeof value === 'string' ? value : write(value));
  const entries = Object.entries(fields).map(([name, values]) => [name, [values].flat().map(written)]);
  return JSON.stringify(Object.fromEntries(entries));
};
/** All encodings of a form. */
export const FORM_ENCODINGS: Readonly<
  Record<string, (fields: Fields) => { type?: string; body: FormData | string | Uint8Array<ArrayBuffer> }>
> = {
  multipart: (fields) => ({ body: form(fields) }),
  'JSON with base64': (fields) => ({
    type: 'application/json',
    body: asJson(fields, (bytes) => Buffer.from(bytes).toString('base64')),
  }),
  'JSON with buffers': (fields) => ({
    type: 'application/json',
    body: asJson(fields, (bytes) => ({ type: 'Buffer', data: [...bytes] })),
  }),
  MessagePack: (fields) => ({ type: 'application/msgpack', body: new Uint8Array(packr.pack(fields)) }),
};
