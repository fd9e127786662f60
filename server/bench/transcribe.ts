import type { TranscriptionModel } from '../src/domain/transcription/transcription-service.ts';
import type { ServerProcess } from './server-process.ts';

/** What the server heard. */
export interface Heard {
  readonly text: string;
  readonly duration: number;
}

/** Sends a recording and waits for its text. Asks for events, since an hour of sound takes longer than clients wait. */
export async function transcribe(
  server: ServerProcess,
  file: Uint8Array,
  model: TranscriptionModel,
): Promise<Heard> {
  const form = new FormData();
  form.append('audio', new Blob([Uint8Array.from(file)]), 'recording');
  const response = await fetch(`${server.url}/v1/asr`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.apiKey}`, accept: 'text/event-stream', model },
    body: form,
  });
  const answer = await response.text();
  const finish = /^event: finish\ndata: (.*)$/m.exec(answer)?.[1];
  if (!response.ok || finish === undefined) {
    throw new Error(`The server did not hear: ${response.status} ${answer.slice(-300)}`);
  }
  const { text, duration } = JSON.parse(finish) as Heard;
  return { text: text.replaceAll(/<\|speaker:\d+\|>/g, ' '), duration };
}
