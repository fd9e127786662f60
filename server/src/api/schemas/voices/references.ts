import { z } from 'zod';
import type { Recording } from '../../../domain/voices/intake/read-recordings.ts';
import { MemoryAudio } from '../../../domain/voices/intake/stored-audio.ts';
import { decodeFileBytes } from '../file-bytes.ts';

const REFERENCES_MAX = 20;

const Reference = z.object({
  audio: z
    .unknown()
    .transform((value, context) => {
      const bytes = decodeFileBytes(value);
      if (bytes !== undefined) return new MemoryAudio(bytes);
      context.addIssue({ code: 'custom', message: 'expected bytes or base64' });
      return z.NEVER;
    })
    .describe('The audio file as bytes, in JSON as base64.'),
  text: z.string().nullish().describe('Its transcript.'),
});

/** The recordings of a speech request: of one speaker, or a list per speaker. */
export const ReferencesSchema = z.union(
  [
    z.array(Reference).max(REFERENCES_MAX),
    z.array(z.array(Reference).min(1).max(REFERENCES_MAX)).max(REFERENCES_MAX),
  ],
  'invalid type for `references`: expected a list of `audio` and `text`, or a list of such lists',
);

/** Converts references to recordings per speaker. */
export function toRecordings(references: z.output<typeof ReferencesSchema> | null | undefined): {
  readonly recordings: readonly (readonly Recording[])[];
  readonly isPerSpeaker: boolean;
} {
  const list = references ?? [];
  const isPerSpeaker = list.some((item) => Array.isArray(item));
  const perSpeaker = isPerSpeaker ? list.map((item) => [item].flat()) : list.length > 0 ? [list.flat()] : [];
  return {
    isPerSpeaker,
    recordings: perSpeaker.map((speaker) =>
      speaker.map(({ audio, text }) => ({ filename: 'reference', audio, text: text ?? undefined })),
    ),
  };
}
