import type { TranscriptBody } from '../../src/api/schemas/transcription/transcript.ts';
import type { TranscriptionModel } from '../../src/domain/transcription/transcription-service.ts';
import type { ServerProcess } from '../processes/server-process.ts';

/** The part of a transcription response that is measured; the text without the marks of speakers. */
export type Transcript = Pick<TranscriptBody, 'text' | 'duration' | 'speaker_turns'>;

/**
 * Transcribes a recording over HTTP, with further fields of the form. Uses server-sent events, since an hour of audio exceeds
 * client timeouts.
 */
export async function transcribe(
  server: Pick<ServerProcess, 'url' | 'apiKey'>,
  file: Uint8Array,
  model: TranscriptionModel,
  fields: Readonly<Record<string, string>> = {},
): Promise<Transcript> {
  const form = new FormData();
  form.append('audio', new Blob([Uint8Array.from(file)]), 'recording');
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  const response = await fetch(`${server.url}/v1/asr`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.apiKey}`, accept: 'text/event-stream', model },
    body: form,
  });
  const body = await response.text();
  const finish = /^event: finish\ndata: (.*)$/m.exec(body)?.[1];
  if (!response.ok || finish === undefined) {
    throw new Error(`The transcription failed: ${response.status} ${body.slice(-300)}`);
  }
  const transcript = JSON.parse(finish) as Transcript;
  return { ...transcript, text: transcript.text.replaceAll(/<\|speaker:\d+\|>/g, ' ') };
}
