import { z } from 'zod';
import type { FormFile } from '../uploads/plain-form.ts';
import { fileBytes } from './file-bytes.ts';

/** A field with one value. Every field of a form comes as the list of its values; most have one. */
export function single<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((values) => (Array.isArray(values) ? values.at(-1) : values), schema);
}

/** Text of at most so many characters, without the spaces around it. */
export const text = (max: number) =>
  z.preprocess((value) => (typeof value === 'number' ? String(value) : value), z.string().trim().max(max));

/** A file of a form, or its bytes. */
export const file = z.unknown().transform((value, context): FormFile => {
  if (isFormFile(value)) return value;
  const bytes = fileBytes(value);
  if (bytes !== undefined) return { filename: 'upload', bytes };
  context.addIssue({ code: 'custom', message: 'expected a file' });
  return z.NEVER;
});

function isFormFile(value: unknown): value is FormFile {
  return (value as Partial<FormFile> | null)?.bytes instanceof Uint8Array;
}
