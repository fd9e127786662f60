import { z } from 'zod';
import { AUDIO_FORMATS } from '../../../audio/formats.ts';
import type { UploadedRecording } from '../../uploads/uploaded-recording.ts';
import { flag, numberFromText, optional, single } from '../form-fields.ts';

/** The form of `POST /v1/speech-to-speech`. An empty field is equivalent to an absent one. */
export const SpeechToSpeechRequestSchema = z
  .object({
    audio: z
      .custom<UploadedRecording>((value) => value !== undefined, 'missing field `audio`')
      .meta({
        type: 'string',
        format: 'binary',
        description: 'The recording, of at most one hour. Its format is detected from its content.',
      }),
    reference_id: single(optional(z.string().max(256))).describe(
      'Id or name of the new voice. Default: the default voice.',
    ),
    language: single(optional(z.string().max(100))).describe(
      'Spoken language, e.g. `en`. Default: detected.',
    ),
    keep_pitch: single(flag(true))
      .meta({ default: true })
      .describe(
        'Whether the melody of the recording is imitated. In a form every value except `true` means false.',
      ),
    format: single(optional(z.enum(AUDIO_FORMATS))).describe('Output format. Default: `mp3`.'),
    sample_rate: single(optional(z.preprocess(numberFromText, z.int()))).describe(
      'In Hz. Default: that of the format.',
    ),
    seed: single(optional(z.preprocess(numberFromText, z.int()))).describe(
      'Two equal requests with a seed give equal bytes.',
    ),
  })
  .meta({ id: 'SpeechToSpeechRequest' });
