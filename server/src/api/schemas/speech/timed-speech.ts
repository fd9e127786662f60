import { z } from 'zod';
import { VISEMES } from '../../../domain/speech/timing/visemes.ts';

const SegmentSchema = z
  .object({
    text: z.string().describe('The word as written, without punctuation.'),
    start: z.number().describe('Seconds from the start of the chunk.'),
    end: z.number(),
    char_start: z.int().describe('UTF-16 offsets of the word in `text`, half open.'),
    char_end: z.int(),
    visemes: z
      .array(z.object({ viseme: z.enum(VISEMES), start: z.number(), end: z.number() }))
      .optional()
      .describe('Visemes, if requested.'),
  })
  .meta({ id: 'WordSegment' });

const MarkSchema = z
  .object({
    name: z.string(),
    time: z.number().describe('Seconds from the start of the chunk.'),
    char_start: z.int(),
  })
  .meta({ id: 'TimedMark' });

const AlignmentSchema = z
  .object({
    segments: z.array(SegmentSchema),
    audio_duration: z.number().describe('Seconds of audio of the chunk so far.'),
    marks: z.array(MarkSchema).optional().describe('The marks of an SSML text with their times.'),
  })
  .meta({ id: 'Alignment' });

/** One server-sent event of speech with timestamps. */
export const TimedSpeechEventSchema = z
  .object({
    audio_base64: z.string().describe('The next bytes of the audio file.'),
    content: z.string().describe('The text of the chunk that `alignment` describes.'),
    alignment: AlignmentSchema.nullable().describe(
      'The complete alignment of the chunk so far; replaces the previous one. Null: unchanged.',
    ),
    chunk_seq: z.int(),
    chunk_audio_offset_sec: z.number().describe('Start of the chunk in the file, in seconds.'),
  })
  .meta({ id: 'TimedSpeechEvent' });
