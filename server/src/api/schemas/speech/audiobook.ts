import { z } from 'zod';
import { BOOK_FORMATS } from '../../../books/book.ts';
import {
  AUDIOBOOK_FORMATS,
  AUDIOBOOK_STATUSES,
  type AudiobookJob,
} from '../../../domain/audiobooks/audiobook-job.ts';
import {
  type AudiobookRequest,
  type AudiobookState,
  marksOf,
  progressOf,
} from '../../../domain/audiobooks/audiobook-jobs.ts';
import type { FormRecording } from '../../uploads/form-builder.ts';
import { UploadedRecording } from '../../uploads/uploaded-recording.ts';
import { numberFromText } from '../form-fields.ts';
import { DictionaryReferencesSchema, toDictionaryReferences } from './pronunciation.ts';

const BITRATES_KBPS = [64, 128, 192] as const;
const CHAPTERS_MAX = 1000;
/** The dictionaries are stored with the job, and read with every list of jobs. */
const INLINE_MAX_CHARS = 200_000;
const voiceName = z.string().max(256);
const name = z.string().trim().min(1).max(200);

const ChapterChoice = z
  .object({
    number: z.int().min(1).max(CHAPTERS_MAX).describe('Number of the chapter, from 1.'),
    reference_id: voiceName.nullish().describe('The voice of this chapter.'),
    pronunciation_dictionary: DictionaryReferencesSchema.nullish().describe(
      'The dictionaries of this chapter, in place of those of the book.',
    ),
  })
  .meta({ id: 'AudiobookChapterChoice' });

/** The body of `POST /v1/tts/jobs`: JSON with `text`, or a form with `file`. */
export const AudiobookRequestSchema = z
  .object({
    text: z.string().nullish().describe('The text of the book, as plain text or Markdown.'),
    file: z
      .custom<BookUpload>((value) => value === undefined || value instanceof BookUpload, 'expected a file')
      .optional()
      .meta({
        type: 'string',
        format: 'binary',
        description: 'The book as a file of a form, in place of `text`: EPUB, Markdown or plain text.',
      }),
    input_format: z
      .enum(BOOK_FORMATS)
      .nullish()
      .describe('Default: detected from the content and the name of the file; `text` for a text.'),
    title: name.nullish().describe('Default: that of the book.'),
    author: name.nullish().describe('Default: that of the book.'),
    language: z.string().max(35).nullish().describe('Language of the text. Default: that of the voice.'),
    reference_id: voiceName.nullish().describe('Id or name of the voice. Default: the default voice.'),
    pronunciation_dictionary: DictionaryReferencesSchema.nullish().describe('As in `POST /v1/tts`.'),
    chapters: z
      .array(ChapterChoice)
      .max(CHAPTERS_MAX)
      .nullish()
      .describe('Voices and dictionaries of single chapters.'),
    format: z
      .enum(AUDIOBOOK_FORMATS)
      .nullish()
      .meta({ default: 'mp3', description: 'Both have chapters. `m4b` needs ffmpeg on the server.' }),
    bitrate: z
      .preprocess(numberFromText, z.literal(BITRATES_KBPS))
      .nullish()
      .meta({ default: 64, description: 'In kbps.' }),
    speed: z
      .preprocess(numberFromText, z.number().min(0.5).max(2))
      .nullish()
      .meta({ default: 1, description: 'Speaking rate.' }),
    seed: z
      .preprocess(numberFromText, z.int().min(0))
      .nullish()
      .describe('Two equal books with equal seeds give equal audio.'),
  })
  .superRefine(({ chapters, pronunciation_dictionary }, context) => {
    const lists = [pronunciation_dictionary, ...(chapters ?? []).map((one) => one.pronunciation_dictionary)];
    if (lists.reduce((sum, list) => sum + inlineChars(list), 0) <= INLINE_MAX_CHARS) return;
    const message = `the \`items\` of an audiobook have at most ${INLINE_MAX_CHARS} characters; publish a dictionary`;
    context.addIssue({ code: 'custom', path: ['pronunciation_dictionary'], message });
  })
  .superRefine(({ text, file }, context) => {
    const hasText = typeof text === 'string' && text !== '';
    if (hasText === (file !== undefined))
      context.addIssue({ code: 'custom', path: ['text'], message: 'either `text` or `file` is required' });
  })
  .meta({ id: 'AudiobookRequest' });

/** Characters of the items of inline dictionaries. */
function inlineChars(list: z.output<typeof DictionaryReferencesSchema> | null | undefined): number {
  return (list ?? [])
    .flatMap((entry) => ('items' in entry ? entry.items : []))
    .reduce((sum, { key, value }) => sum + key.length + value.length, 0);
}

export const AudiobookSchema = z
  .object({
    id: z.string(),
    status: z.enum(AUDIOBOOK_STATUSES),
    progress: z.number().min(0).max(1),
    title: z.string().nullable(),
    author: z.string().nullable(),
    format: z.enum(AUDIOBOOK_FORMATS),
    chapters: z
      .array(
        z.object({
          number: z.int(),
          title: z.string(),
          characters: z.int(),
          start: z.number().nullable().describe('Seconds; null until the job is finished.'),
          end: z.number().nullable(),
        }),
      )
      .max(CHAPTERS_MAX),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
    error: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .describe('Why the job failed, or was paused by the server.'),
  })
  .meta({ id: 'Audiobook', description: 'A book that is spoken in the background.' });

/** A book that was received as a file. */
export class BookUpload {
  readonly fileName: string;
  readonly recording: UploadedRecording;

  private constructor(fileName: string, recording: UploadedRecording) {
    this.fileName = fileName;
    this.recording = recording;
  }

  /** The file of a form value. A plain value of the same name is none. */
  static of(value: unknown): BookUpload | undefined {
    const { filename = '', audio } = (value ?? {}) as Partial<FormRecording>;
    return audio instanceof UploadedRecording ? new BookUpload(filename, audio) : undefined;
  }
}

type AudiobookBody = z.output<typeof AudiobookRequestSchema>;

/** Where the book is and how it is spoken. */
export function toAudiobookRequest(
  body: AudiobookBody,
  model: string,
): Pick<AudiobookRequest, 'source' | 'format' | 'options'> {
  const { file } = body;
  return {
    source: file ? { path: file.recording.path, fileName: file.fileName } : { text: body.text ?? '' },
    format: body.input_format ?? undefined,
    options: {
      model,
      voice: body.reference_id || undefined,
      dictionaries: toDictionaryReferences(body.pronunciation_dictionary),
      chapters: Object.fromEntries(
        (body.chapters ?? []).map(({ number, reference_id, pronunciation_dictionary }) => [
          number,
          {
            ...(reference_id && { voice: reference_id }),
            ...(pronunciation_dictionary && {
              dictionaries: toDictionaryReferences(pronunciation_dictionary),
            }),
          },
        ]),
      ),
      format: body.format ?? 'mp3',
      bitrateKbps: body.bitrate ?? 64,
      speed: body.speed ?? 1,
      language: body.language ?? undefined,
      seed: body.seed ?? undefined,
      title: body.title ?? undefined,
      author: body.author ?? undefined,
    },
  };
}

/** A job as JSON. */
export function toAudiobookBody(state: AudiobookState): z.output<typeof AudiobookSchema> {
  return toBody(state.job, marksOf(state));
}

/** A job of a list, without the times of its chapters. */
export function toListedAudiobook(job: AudiobookJob): z.output<typeof AudiobookSchema> {
  return toBody(job, undefined);
}

function toBody(job: AudiobookJob, marks: ReturnType<typeof marksOf>): z.output<typeof AudiobookSchema> {
  return {
    id: job.id,
    status: job.status,
    progress: Math.round(progressOf(job) * 1e4) / 1e4,
    title: job.options.title ?? null,
    author: job.options.author ?? null,
    format: job.options.format,
    chapters: job.chapters.map(({ title, characters }, index) => ({
      number: index + 1,
      title,
      characters,
      start: roundMs(marks?.[index]?.startSeconds),
      end: roundMs(marks?.[index]?.endSeconds),
    })),
    created_at: new Date(job.createdAtMs).toISOString(),
    finished_at: job.finishedAtMs === undefined ? null : new Date(job.finishedAtMs).toISOString(),
    error: job.failure ?? null,
  };
}

function roundMs(seconds: number | undefined): number | null {
  return seconds === undefined ? null : Math.round(seconds * 1000) / 1000;
}
