import type { OpenApiCall } from './openapi-call.ts';

const json = { 'content-type': 'application/json' };
const noKey = { authorization: '' };
const once = { ...json, model: 's2.1-pro-free', 'idempotency-key': 'once' };

const speak = (status: number, body: unknown, headers: Record<string, string> = json): OpenApiCall => ({
  operation: 'POST /v1/tts',
  status,
  path: '/v1/tts',
  init: { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) },
});

const timed = (...given: Parameters<typeof speak>): OpenApiCall => ({
  ...speak(...given),
  operation: 'POST /v1/tts/stream/with-timestamp',
  path: '/v1/tts/stream/with-timestamp',
});

/** Calls of the speech operations. */
export const SPEECH_CALLS: readonly OpenApiCall[] = [
  ...['mp3', 'wav', 'pcm', 'opus', 'flac'].map((format) => speak(200, { text: 'hi', format })),
  timed(200, { text: 'hi' }),
  timed(200, { text: 'hi' }, { ...json, accept: 'text/vtt' }),
  timed(200, { text: 'hi' }, { ...json, accept: 'application/x-subrip' }),
  ...[speak, timed].flatMap((call, index): OpenApiCall[] => {
    const headers = { ...once, 'idempotency-key': `once-${index}` };
    return [
      call(400, {}),
      call(400, { text: 'hi', reference_id: 'nobody' }),
      call(401, { text: 'hi' }, noKey),
      { ...call(402, { text: 'hi' }), server: 'paid' },
      { ...call(403, { text: 'hi' }), hasNoScopes: true },
      { ...call(200, { text: 'once' }, headers), server: 'paid' },
      { ...call(409, { text: 'once' }, headers), server: 'paid' },
      { ...call(422, { text: 'twice' }, headers), server: 'paid' },
      call(413, { text: 'x'.repeat(200_001) }),
      call(415, 'hi', { 'content-type': 'text/plain' }),
    ];
  }),
];
