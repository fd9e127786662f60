import { z } from 'zod';
import { MemoryAudio } from '../../domain/voices/intake/stored-audio.ts';
import { DEFAULT_FILENAME, type FormFile, type FormRecording } from '../uploads/form-builder.ts';
import { decodeFileBytes } from './file-bytes.ts';

/** A field with one value. A form gives the list of all values of a field; the last one counts. */
export function single<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((values) => (Array.isArray(values) ? values.at(-1) : values), schema);
}

/** An optional field of a form. Clients send null or an empty field in place of an absent one. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (value === null || value === '' ? undefined : value), schema.optional());
}

/** An optional boolean of a form with its default. */
export function flag(fallback: boolean) {
  return optional(z.preprocess(flagFromText, z.boolean())).transform((given) => given ?? fallback);
}

/** Forms contain only text; every text except `true` is false. */
export function flagFromText(value: unknown): unknown {
  return typeof value === 'string' ? value.trim().toLowerCase() === 'true' : value;
}

/** The number that a text of a form contains. */
export function numberFromText(value: unknown): unknown {
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
}

/** Trimmed text of at most `max` characters. */
export const text = (max: number) =>
  z.preprocess((value) => (typeof value === 'number' ? String(value) : value), z.string().trim().max(max));

/** A file of a form, or its bytes. */
export const file = z.unknown().transform((value, context): FormFile => {
  if (isFormFile(value)) return value;
  const bytes = decodeFileBytes(value);
  if (bytes !== undefined) return { filename: DEFAULT_FILENAME, bytes };
  context.addIssue({ code: 'custom', message: 'expected a file' });
  return z.NEVER;
});

/** A recording of a form, or its bytes. */
export const recording = z.unknown().transform((value, context): FormRecording => {
  if (isFormRecording(value)) return value;
  const bytes = decodeFileBytes(value);
  if (bytes !== undefined) return { filename: DEFAULT_FILENAME, audio: new MemoryAudio(bytes) };
  context.addIssue({ code: 'custom', message: 'expected a file' });
  return z.NEVER;
});

function isFormRecording(value: unknown): value is FormRecording {
  return typeof (value as Partial<FormRecording> | null)?.audio?.read === 'function';
}

function isFormFile(value: unknown): value is FormFile {
  return (value as Partial<FormFile> | null)?.bytes instanceof Uint8Array;
}
