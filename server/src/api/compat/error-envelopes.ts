import type { ApiError, ErrorCode } from '../../errors.ts';

/** An error body in OpenAI's format. */
export function openAiErrorBody({ status, code, message }: ApiError) {
  const type = openAiType(status);
  return {
    error: {
      code,
      message,
      type,
      param: null,
      ...(type === 'provider_error' && { metadata: { provider_name: 'mynah' } }),
    },
  };
}

function openAiType(status: number): string {
  if (status === 401 || status === 403) return 'authentication_error';
  return status < 500 ? 'invalid_request_error' : 'provider_error';
}

/** An error body in ElevenLabs' format. */
export function elevenLabsErrorBody({ status, code, message }: ApiError) {
  return { detail: { status: BY_CODE[code] ?? BY_STATUS[status] ?? otherStatus(status), message } };
}

const BY_CODE: Partial<Record<ErrorCode, string>> = {
  voice_not_found: 'voice_not_found',
  model_not_found: 'voice_not_found',
};

const BY_STATUS: Readonly<Record<number, string>> = {
  401: 'unauthorized',
  402: 'quota_exceeded',
  403: 'unauthorized',
  404: 'not_found',
  413: 'payload_too_large',
  429: 'rate_limit_error',
};

function otherStatus(status: number): string {
  return status < 500 ? 'invalid_request' : 'provider_error';
}
