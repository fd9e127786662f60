import { z } from 'zod';
import { VISEMES } from '../../domain/speech/timing/visemes.ts';

const SegmentSchema = z
  .object({
    text: z.string().describe('The word as it stands in the text, without punctuation.'),
    start: z.number().describe('Seconds from the start of the chunk.'),
    end: z.number(),
    char_start: z.int().describe('Where the word stands in `text`: UTF-16 offsets, half open.'),
    char_end: z.int(),
    visemes: z
      .array(z.object({ viseme: z.enum(VISEMES), start: z.number(), end: z.number() }))
      .optional()
      .describe('The shapes of the mouth, when `visemes` was asked for.'),
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
    audio_duration: z.number().describe('Seconds of audio of the chunk, as far as known.'),
    marks: z.array(MarkSchema).optional().describe('The marks of an SSML text, and when each is reached.'),
  })
  .meta({ id: 'Alignment' });

/** One server-sent event of speech with timestamps. */
export const TimedSpeechEventSchema = z
  .object({
    audio_base64: z.string().describe('The next bytes of the audio file; all of them joined are the file.'),
    content: z.string().describe('The text of the chunk that `alignment` describes.'),
    alignment: AlignmentSchema.nullable().describe(
      'All that is known about the chunk: replaces what came before. Null: nothing new.',
    ),
    chunk_seq: z.int(),
    chunk_audio_offset_sec: z.number().describe('Where the chunk begins in the file, in seconds.'),
  })
  .meta({ id: 'TimedSpeechEvent' });
