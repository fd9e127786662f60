import { encodeWavFile } from '../src/audio/wav.ts';
import { talk } from '../src/voices/intake/test-talk.ts';

/** Recordings and pictures for tests. */
export const RECORDING = Buffer.from(
  encodeWavFile({ samples: talk({ seconds: 8, sampleRateHz: 16000 }), sampleRateHz: 16000 }),
);
export const OTHER_RECORDING = Buffer.from(
  encodeWavFile({ samples: talk({ seconds: 5, sampleRateHz: 16000, seed: 9 }), sampleRateHz: 16000 }),
);
export const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A multipart form; bytes become files. */
export function form(
  fields: Readonly<Record<string, string | Uint8Array | readonly (string | Uint8Array)[]>>,
): FormData {
  const data = new FormData();
  for (const [name, values] of Object.entries(fields)) {
    for (const value of typeof values === 'string' || values instanceof Uint8Array ? [values] : values) {
      if (typeof value === 'string') data.append(name, value);
      else data.append(name, new Blob([new Uint8Array(value)]), 'upload');
    }
  }
  return data;
}
