import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { NewVoice, SpeechOptions, SpeechRequest, TranscriptionRequest } from './index.ts';

// Checked by the compiler: an expected error that does not occur fails the build.
const audio = new Uint8Array();
export const REQUESTS: readonly [SpeechRequest, TranscriptionRequest, NewVoice] = [
  { text: 'Hello!', format: 'mp3', prosody: { speed: 1.1 }, reference_id: ['af_heart', 'am_michael'] },
  { audio, language: 'en', diarize: true, format: 'verbose' },
  { title: 'Ada', voices: [audio], consent: 'My own voice.' },
];
export const WRONG = [
  // @ts-expect-error A field with a spelling mistake.
  { text: 'Hello!', formt: 'mp3' } satisfies SpeechRequest,
  // @ts-expect-error A value that the field does not have.
  { text: 'Hello!', format: 'ogg' } satisfies SpeechRequest,
  // @ts-expect-error A spelling mistake in an inner object.
  { text: 'Hello!', prosody: { sped: 2 } } satisfies SpeechRequest,
  // @ts-expect-error The text is missing.
  { format: 'mp3' } satisfies SpeechRequest,
  // @ts-expect-error Fields have the names of the API, not camel case.
  { referenceId: 'af_heart' } satisfies SpeechOptions,
  // @ts-expect-error A field with a spelling mistake.
  { audio, langauge: 'en' } satisfies TranscriptionRequest,
  // @ts-expect-error A field with a spelling mistake.
  { title: 'Ada', voice: [audio] } satisfies NewVoice,
];

test('every field of the types of requests and responses has a doc comment', () => {
  const folder = new URL('../../src/types/', import.meta.url);
  const sources = readdirSync(folder).filter((name) => !/^index|test\.ts$/.test(name));
  assert.ok(sources.length > 0);
  const lines = sources.flatMap((name) => readFileSync(new URL(name, folder), 'utf8').split('\n'));
  const undocumented = lines.filter(
    (line, index) => /^ +readonly \w+\??:/.test(line) && !lines[index - 1]?.trim().endsWith('*/'),
  );
  assert.deepEqual(undocumented, []);
});
