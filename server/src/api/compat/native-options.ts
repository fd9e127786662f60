import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../errors.ts';
import { parseJsonOrText } from '../bodies/parse-json.ts';
import { TtsRequestSchema } from '../schemas/speech/tts-request.ts';

const HEADER = /^x-fish-(.+)$/;
const FIELDS = new Set(Object.keys(TtsRequestSchema.shape).filter((field) => field !== 'text'));

/** `provider.options["fish-audio"]`, in which OpenAI clients send native TTS fields. */
export const ProviderSchema = z
  .object({
    options: z.object({ 'fish-audio': z.record(z.string(), z.unknown()).nullish() }).nullish(),
  })
  .nullish();

/**
 * The native TTS fields of a request to a compatibility route: in `provider.options["fish-audio"]`, or as headers
 * such as `X-Fish-Latency`, which take precedence.
 */
export function nativeOptionsOf(
  request: FastifyRequest,
  provider?: z.output<typeof ProviderSchema>,
): Record<string, unknown> {
  const given = { ...provider?.options?.['fish-audio'], ...headerOptions(request) };
  const unknown = Object.keys(given).find((field) => !FIELDS.has(field));
  if (unknown !== undefined) {
    throw new ApiError('invalid_request', `There is no native parameter ${JSON.stringify(unknown)}.`);
  }
  return given;
}

/** Rejects native TTS headers on transcription routes. */
export function rejectNativeOptions(request: FastifyRequest): void {
  if (Object.keys(headerOptions(request)).length > 0) {
    throw new ApiError('invalid_request', 'Transcription does not accept `X-Fish-…` headers.');
  }
}

function headerOptions({ headers }: FastifyRequest): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([header, value]) => {
      const field = HEADER.exec(header)?.[1]?.replaceAll('-', '_');
      return field === undefined || typeof value !== 'string' ? [] : [[field, parseJsonOrText(value)]];
    }),
  );
}
