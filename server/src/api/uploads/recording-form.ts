import type { FastifyInstance } from 'fastify';
import type { UploadStore } from '../../domain/transcription/upload-store.ts';
import { uploadPace } from '../bodies/read-body.ts';
import type { ApiConfig } from '../dependencies.ts';
import type { FormRecording } from './form-builder.ts';
import { addUploadForms } from './upload-forms.ts';
import { UploadedRecording } from './uploaded-recording.ts';

/**
 * Reads the bodies of all routes of this plugin as forms with one recording. The body of a request then has the
 * recording as `audio` and every other field as its value, or as a list if the form repeats the field.
 */
export function addRecordingForms(
  app: FastifyInstance,
  {
    uploads,
    config,
    field,
  }: {
    readonly uploads: UploadStore;
    readonly config: ApiConfig;
    /** The name of the recording in the form. */
    readonly field: string;
  },
): void {
  addUploadForms(app, {
    encodings: ['multipart', 'msgpack'],
    recordings: [field],
    files: [],
    acceptsBase64: false,
    maxBytes: config.asrUploadMaxBytes,
    pace: uploadPace(config),
    uploads,
    toBody: ({ [field]: recordings = [], ...fields }) => ({
      ...Object.fromEntries(
        Object.entries(fields).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
      ),
      audio: uploadedRecordingOf(recordings.at(-1)),
    }),
  });
}

/** The recording of a form value. A plain value of the same name, which a client may also send, is none. */
function uploadedRecordingOf(value: unknown): UploadedRecording | undefined {
  const audio = (value as Partial<FormRecording> | undefined)?.audio;
  return audio instanceof UploadedRecording ? audio : undefined;
}
