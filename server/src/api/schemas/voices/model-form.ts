import { z } from 'zod';
import { VISIBILITIES } from '../../../domain/voices/stored-voice.ts';
import { parseJsonOrText } from '../../bodies/parse-json.ts';
import { file, recording, single, text } from '../form-fields.ts';

const TITLE_MAX = 200;
const DESCRIPTION_MAX = 5000;
const TAGS_MAX = 50;
const RECORDINGS_MAX = 20;
const MIXED_MAX = 10;
const SIGNATURE_MAX = 60_000;
const COVER_MAX_BYTES = 5 * 1024 * 1024;

const flag = z.preprocess(
  (value) => (typeof value === 'string' ? value.toLowerCase() === 'true' || value === '1' : value),
  z.boolean(),
);

/** Maximum number of values of a repeated field. */
const FIELD_VALUES_MAX = 256;

/** Some clients send a list as one comma-separated value. */
const tags = z
  .array(z.string())
  .max(FIELD_VALUES_MAX)
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

/** Voices with weights. A form contains them as JSON text. */
const mix = z.preprocess(
  (values) => {
    // A part of type `application/json` is a list in the list of the parts with this name.
    const items = [values].flat(2);
    const [only, ...more] = items;
    if (typeof only === 'string' && more.length === 0) return parseJsonOrText(only);
    return Array.isArray(values) ? items : values;
  },
  z
    .array(z.object({ id: z.string().min(1), weight: z.number().positive().max(1000).default(1) }))
    .min(2)
    .max(MIXED_MAX),
);

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
      .describe('Recordings of one person, 10 to 60 seconds in total. Required without `mix`.'),
    mix: mix
      .optional()
      .describe(
        'Extension: voices to mix, in place of `voices`, as `[{"id": "…", "weight": 2}, …]` or the same as JSON text.',
      ),
    texts: z
      .array(z.string())
      .max(FIELD_VALUES_MAX)
      .optional()
      .describe(
        'The transcript of each recording. Default: it is transcribed and charged like transcription.',
      ),
    visibility: single(z.enum(VISIBILITIES)).optional().describe('Default: `private`.'),
    description: single(text(DESCRIPTION_MAX)).optional(),
    cover_image: cover.optional(),
    tags: tags.optional(),
    enhance_audio_quality: single(flag)
      .optional()
      .describe('Accepted and ignored: the level of recordings is always normalized.'),
    generate_sample: single(flag)
      .optional()
      .describe(
        'Whether a sample of the new voice, a fixed sentence, is synthesized free of charge and added to `samples`.',
      ),
    voice_design_signatures: z
      .array(z.string().max(SIGNATURE_MAX))
      .max(FIELD_VALUES_MAX)
      .transform((values) => values.flatMap((value) => value.split(',')).filter(Boolean))
      .optional()
      .describe(
        'The signatures of candidates of `POST /v1/voice-design`, one per file in `voices`, which must be their unchanged WAV files. The voice is then exactly the designed one; several are mixed.',
      ),
    consent: single(text(DESCRIPTION_MAX))
      .optional()
      .describe(
        'Extension: a statement of the right to use this voice. Stored with the voice, its creator and the time.',
      ),
  })
  .refine(({ voices, mix }) => voices !== undefined || mix !== undefined, {
    path: ['voices'],
    message: 'voices is missing: send recordings or a mix',
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
  // The input of a preprocessed field is unknown, so that its requirement is not derived.
  .meta({ id: 'CreateModel', required: ['title'] });

/** The fields of `PATCH /model/{id}`. Absent fields are not changed. */
export const UpdateModelSchema = z
  .object({
    title: single(text(TITLE_MAX).pipe(z.string().min(1, 'title must not be empty'))).optional(),
    description: single(text(DESCRIPTION_MAX)).optional(),
    cover_image: cover.optional(),
    visibility: single(z.enum(VISIBILITIES)).optional(),
    tags: tags.optional(),
  })
  .meta({ id: 'UpdateModel' });

/** The image types of a cover. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

/** Detects the media type of an image. */
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
 * The transcript of each recording. Some clients send all transcripts as one comma-separated value; it is split only
 * if the number of parts matches. Transcripts that do not match the recordings are dropped.
 */
export function textsFor(count: number, texts: readonly string[] = []): readonly (string | undefined)[] {
  const none = Array.from({ length: count }, () => undefined);
  if (texts.length === count) return texts.map((value) => value.trim() || undefined);
  const [only = ''] = texts;
  const parts = only.split(',');
  return texts.length === 1 && parts.length === count ? parts.map((part) => part.trim() || undefined) : none;
}
