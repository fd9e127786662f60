import type { TranscriptionModel } from '../../src/domain/transcription/transcription-service.ts';
import type { ServerProcess } from '../processes/server-process.ts';

/** A transcription response. */
export interface Transcript {
  readonly text: string;
  readonly duration: number;
}

/** Transcribes a recording over HTTP. Uses server-sent events, since an hour of audio exceeds client timeouts. */
export async function transcribe(
  server: ServerProcess,
  file: Uint8Array,
  model: TranscriptionModel,
): Promise<Transcript> {
  const form = new FormData();
  form.append('audio', new Blob([Uint8Array.from(file)]), 'recording');
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
  const { text, duration } = JSON.parse(finish) as Transcript;
  return { text: text.replaceAll(/<\|speaker:\d+\|>/g, ' '), duration };
}
