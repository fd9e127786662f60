import { z } from 'zod';
import { checkSampleRate, TtsRequestSchema } from './tts-request.ts';

const SPEAKERS_MAX = 64;
/** Two million characters hold the captions of a day. */
const CAPTIONS_MAX_CHARS = 2_000_000;
const voice = z.string().max(256);

const { format, sample_rate, mp3_bitrate, opus_bitrate, language, seed, pronunciation_dictionary } =
  TtsRequestSchema.shape;

/** The body of `POST /v1/dub`. */
export const DubRequestSchema = z
  .object({
    captions: z.string().max(CAPTIONS_MAX_CHARS).describe('The content of an `.srt` or `.vtt` file.'),
    reference_id: voice.nullish().describe('The voice of captions without a speaker in `speakers`.'),
    speakers: z
      .record(z.string().max(100), voice)
      .refine((map) => Object.keys(map).length <= SPEAKERS_MAX, `at most ${SPEAKERS_MAX} speakers`)
      .nullish()
      .describe('Voices by speaker: `<v Name>` in WebVTT, or `Name:` at the start of a caption.'),
    max_speed: z
      .number()
      .min(1)
      .max(2)
      .nullish()
      .meta({ default: 1.3, description: 'Maximum speaking rate of captions that need one.' }),
    format,
    sample_rate,
    mp3_bitrate,
    opus_bitrate,
    language,
    seed,
    pronunciation_dictionary,
  })
  .superRefine(checkSampleRate)
  .meta({ id: 'DubRequest' });

export type DubRequest = z.output<typeof DubRequestSchema>;
