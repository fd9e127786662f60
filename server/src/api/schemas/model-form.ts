import { z } from 'zod';
import { VISIBILITIES } from '../../domain/voices/stored-voice.ts';
import { file, recording, single, text } from './form-fields.ts';

const TITLE_MAX = 200;
const DESCRIPTION_MAX = 5000;
const TAGS_MAX = 50;
const RECORDINGS_MAX = 20;
const MIXED_MAX = 10;
const SIGNATURE_MAX = 60_000;
const COVER_MAX_BYTES = 5 * 1024 * 1024;

const truth = z.preprocess(
  (value) => (typeof value === 'string' ? value.toLowerCase() === 'true' || value === '1' : value),
  z.boolean(),
);

/** Some clients join lists with commas into one value. */
const tags = z
  .array(z.string())
  .transform((values) =>
    [...new Set(values.flatMap((value) => value.split(',')).map((tag) => tag.trim()))].filter(Boolean),
  )
  .pipe(z.array(z.string().max(TITLE_MAX)).max(TAGS_MAX));

const cover = single(file)
  .refine(
    ({ bytes }) => imageTypeOf(bytes) !== undefined,
    'cover_image must be a PNG, JPEG, GIF or WebP image',
  )
  .refine(({ bytes }) => bytes.length <= COVER_MAX_BYTES, 'cover_image is over 5 MB');

/** Voices and how much of each. A form has them as one JSON text. */
const mix = z.preprocess(
  (values) => {
    const [only, ...more] = [values].flat();
    return typeof only === 'string' && more.length === 0 ? parsedOrItself(only) : values;
  },
  z
    .array(z.object({ id: z.string().min(1), weight: z.number().positive().max(1000).default(1) }))
    .min(2)
    .max(MIXED_MAX),
);

function parsedOrItself(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The fields of `POST /model`. */
export const CreateModelSchema = z
  .object({
    type: single(z.literal('tts')).optional().describe('Always `tts`.'),
    title: single(text(TITLE_MAX).pipe(z.string().min(1, 'title must not be empty'))),
    train_mode: single(z.enum(['fast', 'full']))
      .optional()
      .describe('`fast` is usable at once; `full` is too, and is refined in the background.'),
    voices: z
      .array(recording)
      .min(1)
      .max(RECORDINGS_MAX)
      .optional()
      .describe('Recordings of one person, 10 to 60 seconds in all. Needed unless there is a `mix`.'),
    mix: mix
      .optional()
      .describe(
        'Ours: voices to be blended into this one instead of `voices`, as `[{"id": "…", "weight": 2}, …]` or that as JSON text.',
      ),
    texts: z
      .array(z.string())
      .optional()
      .describe('What is said in each recording. Absent: it is transcribed.'),
    visibility: single(z.enum(VISIBILITIES)).optional().describe('`private` unless given.'),
    description: single(text(DESCRIPTION_MAX)).optional(),
    cover_image: cover.optional(),
    tags: tags.optional(),
    enhance_audio_quality: single(truth)
      .optional()
      .describe('Changes nothing: recordings are always levelled.'),
    generate_sample: single(truth)
      .optional()
      .describe('Whether the new voice says something when it is done, which is added to `samples`.'),
    voice_design_signatures: z
      .array(z.string().max(SIGNATURE_MAX))
      .transform((values) => values.flatMap((value) => value.split(',')).filter(Boolean))
      .optional()
      .describe(
        'The signatures of candidates of `POST /v1/voice-design`, one for each of `voices`, which are their unchanged WAV files. The voice is then exactly the one that was designed; several are blended.',
      ),
    consent: single(text(DESCRIPTION_MAX))
      .optional()
      .describe('Ours: what gives you the right to this voice. Kept with it, with who created it and when.'),
  })
  .refine(({ voices, mix }) => voices !== undefined || mix !== undefined, {
    path: ['voices'],
    message: 'voices is missing: send recordings, or a mix',
  })
  .refine(({ voices, mix }) => voices === undefined || mix === undefined, {
    path: ['mix'],
    message: 'mix cannot be sent together with voices',
  })
  .refine(
    ({ voices = [], voice_design_signatures: signatures = [] }) =>
      signatures.length === 0 || signatures.length === voices.length,
    { path: ['voice_design_signatures'], message: 'voice_design_signatures needs one for each of voices' },
  )
  .meta({ id: 'CreateModel' });

/** The fields of `PATCH /model/{id}`; only those that are there change. */
export const UpdateModelSchema = z
  .object({
    title: single(text(TITLE_MAX).pipe(z.string().min(1, 'title must not be empty'))).optional(),
    description: single(text(DESCRIPTION_MAX)).optional(),
    cover_image: cover.optional(),
    visibility: single(z.enum(VISIBILITIES)).optional(),
    tags: tags.optional(),
  })
  .meta({ id: 'UpdateModel' });

/** The images a cover can be. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

/** The media type of an image, told by its bytes. */
export function imageTypeOf(bytes: Uint8Array): (typeof IMAGE_TYPES)[number] | undefined {
  const starts = (...head: number[]) => head.every((byte, i) => bytes[i] === byte);
  if (starts(0x89, 0x50, 0x4e, 0x47)) return 'image/png';
  if (starts(0xff, 0xd8, 0xff)) return 'image/jpeg';
  if (starts(0x47, 0x49, 0x46, 0x38)) return 'image/gif';
  const isWebp =
    starts(0x52, 0x49, 0x46, 0x46) && Buffer.from(bytes.subarray(8, 12)).toString('latin1') === 'WEBP';
  return isWebp ? 'image/webp' : undefined;
}

/**
 * The text of each recording. Some clients join all texts with commas, which cannot be told from commas in a text
 * unless the numbers match; texts that do not match the recordings are worse than none.
 */
export function textsFor(count: number, texts: readonly string[] = []): readonly (string | undefined)[] {
  const none = Array.from({ length: count }, () => undefined);
  if (texts.length === count) return texts.map((value) => value.trim() || undefined);
  const [only = ''] = texts;
  const parts = only.split(',');
  return texts.length === 1 && parts.length === count ? parts.map((part) => part.trim() || undefined) : none;
}
