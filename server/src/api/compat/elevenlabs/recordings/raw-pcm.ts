import { z } from 'zod';
import { streamedWavHeader } from '../../../../audio/encode/wav.ts';
import type { UploadStore } from '../../../../domain/transcription/upload-store.ts';
import { single } from '../../../schemas/form-fields.ts';
import { UploadedRecording } from '../../../uploads/uploaded-recording.ts';

const RAW_PCM = 'pcm_s16le_16';
const RAW_PCM_RATE_HZ = 16_000;

/** `file_format` of a form with a recording. */
export const FileFormatSchema = single(
  z.enum([RAW_PCM, 'other'], `\`file_format\` can be \`${RAW_PCM}\` or \`other\``).nullish(),
);

/** Runs work with a recording whose format can be detected: raw PCM gets a header, in a file that is removed afterwards. */
export async function withDetectableFormat(
  recording: UploadedRecording,
  { fileFormat, uploads }: { readonly fileFormat: string | null | undefined; readonly uploads: UploadStore },
  work: (recording: UploadedRecording) => Promise<void>,
): Promise<void> {
  if (fileFormat !== RAW_PCM) return work(recording);
  const upload = await uploads.create();
  try {
    await work(await UploadedRecording.receive(upload, withHeader(recording.read())));
  } finally {
    await upload.remove();
  }
}

async function* withHeader(samples: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield streamedWavHeader(RAW_PCM_RATE_HZ);
  yield* samples;
}
