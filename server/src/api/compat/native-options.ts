import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../errors.ts';
import { TtsRequestSchema } from '../schemas/tts-request.ts';

const HEADER = /^x-fish-(.+)$/;
const FIELDS = new Set(Object.keys(TtsRequestSchema.shape).filter((field) => field !== 'text'));

/** Where OpenAI's clients put what their own fields have no words for. */
export const ProviderSchema = z
  .object({
    options: z.object({ 'fish-audio': z.record(z.string(), z.unknown()).nullish() }).nullish(),
  })
  .nullish();

/**
 * The fields of our own body that a request for speech gives beside its own: in `provider.options["fish-audio"]`,
 * or as headers such as `X-Fish-Latency`, which win.
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

/** Refuses what only means something for speech. */
export function refuseNativeOptions(request: FastifyRequest): void {
  if (Object.keys(headerOptions(request)).length > 0) {
    throw new ApiError('invalid_request', 'Transcription takes no `X-Fish-…` headers.');
  }
}

function headerOptions({ headers }: FastifyRequest): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([header, value]) => {
      const field = HEADER.exec(header)?.[1]?.replaceAll('-', '_');
      return field === undefined || typeof value !== 'string' ? [] : [[field, readValue(value)]];
    }),
  );
}

/** Numbers, truths and objects as JSON has them; everything else is text. */
function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
