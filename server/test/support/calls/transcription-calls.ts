import { pack } from 'msgpackr';
import type { OpenApiCall } from './openapi-call.ts';

const json = { 'content-type': 'application/json' };
const noKey = { authorization: '' };

const transcribe = (
  status: number,
  form: object,
  { query = '', ...headers }: Record<string, string> = {},
): OpenApiCall => ({
  operation: 'POST /v1/asr',
  status,
  path: `/v1/asr${query}`,
  init: {
    method: 'POST',
    headers: { 'content-type': 'application/msgpack', ...headers },
    body: Uint8Array.from(pack(form)),
  },
});
const audio = Buffer.from('audio:hello there');
const convert = (...given: Parameters<typeof transcribe>): OpenApiCall => ({
  ...transcribe(...given),
  operation: 'POST /v1/speech-to-speech',
  path: '/v1/speech-to-speech',
});
const convertedOnce = { 'idempotency-key': 'once-converted' };
/** Prices with which an account without credit can transcribe. */
export const FREE_PRO = { asr: { 'transcribe-1-pro': 0 } };
const heardOnce = { model: 'transcribe-1-pro', 'idempotency-key': 'once-heard' };

export const SUBMIT_TRANSCRIPTION_JOB = transcribe(202, { audio }, { query: '?async=true' });

/** Calls of the transcription operations, and of speech to speech. */
export const TRANSCRIPTION_CALLS: readonly OpenApiCall[] = [
  transcribe(200, { audio, ignore_timestamps: false, format: 'verbose' }),
  transcribe(200, { audio }, { accept: 'text/vtt' }),
  transcribe(200, { audio }, { accept: 'application/x-subrip' }),
  transcribe(200, { audio, format: 'text' }),
  transcribe(200, { audio }, { accept: 'text/event-stream' }),
  SUBMIT_TRANSCRIPTION_JOB,
  transcribe(400, {}),
  transcribe(401, { audio }, noKey),
  { ...transcribe(402, { audio }), server: 'paid' },
  { ...transcribe(200, { audio }, heardOnce), server: 'paid' },
  { ...transcribe(409, { audio }, heardOnce), server: 'paid' },
  { ...transcribe(422, { audio, prompt: 'Other words.' }, heardOnce), server: 'paid' },
  { ...transcribe(403, { audio }), hasNoScopes: true },
  transcribe(413, { audio, prompt: 'x'.repeat(300_000) }),
  transcribe(415, { audio }, json),
  ...['mp3', 'wav', 'pcm', 'opus', 'flac'].map((format) => convert(200, { audio, format })),
  convert(400, {}),
  convert(401, { audio }, noKey),
  { ...convert(402, { audio }), server: 'paid' },
  { ...convert(403, { audio }), hasNoScopes: true },
  { ...convert(200, { audio }, convertedOnce), server: 'loading' },
  { ...convert(409, { audio }, convertedOnce), server: 'loading' },
  { ...convert(422, { audio, seed: 1 }, convertedOnce), server: 'loading' },
  convert(415, { audio }, json),
  ...(['GET', 'DELETE'] as const).flatMap((method): OpenApiCall[] => [
    { operation: `${method} /v1/asr/{id}`, status: 200, path: '/v1/asr/JOB', init: { method } },
    {
      operation: `${method} /v1/asr/{id}`,
      status: 403,
      path: '/v1/asr/none',
      init: { method },
      hasNoScopes: true,
    },
    {
      operation: `${method} /v1/asr/{id}`,
      status: 401,
      path: '/v1/asr/JOB',
      init: { method, headers: noKey },
    },
    { operation: `${method} /v1/asr/{id}`, status: 404, path: '/v1/asr/none', init: { method } },
  ]),
  { operation: 'GET /v1/asr/{id}', status: 400, path: '/v1/asr/JOB?format=docx' },
  { operation: 'GET /v1/asr/{id}', status: 200, path: '/v1/asr/JOB?format=vtt' },
];
