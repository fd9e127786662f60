import type { AsrEvent, AsrInput, AsrTask } from '../../../domain/transcription/pipeline/asr-task.ts';
import { PAYLOAD_MAX_BYTES } from '../protocol/messages.ts';
import { isRecord } from '../remote/is-record.ts';
import { decodeValue, encodeValue } from '../remote/value-codec.ts';

/** Samples per message of live audio. */
const SAMPLES_MAX = PAYLOAD_MAX_BYTES / 2 / Float32Array.BYTES_PER_ELEMENT;
const FLUSH = Uint8Array.of(0);
const AUDIO = 1;

/** A task without the path of its file, which means nothing on another machine. */
export function encodeAsrTask({ source, ffmpegPath: _, ...task }: AsrTask): Uint8Array {
  return encodeValue({ ...task, source: source.kind });
}

/** The task, with the file that the worker has received. Throws a `TypeError` for another value. */
export function decodeAsrTask(
  bytes: Uint8Array,
): Omit<AsrTask, 'source'> & { readonly source: 'file' | 'stream' } {
  const value = decodeValue(bytes);
  // Gateways of the cluster send tasks that the domain has made: the outline is checked.
  if (
    !isRecord(value) ||
    !Array.isArray(value.engines) ||
    (value.source !== 'file' && value.source !== 'stream')
  ) {
    throw new TypeError('The task is not a transcription.');
  }
  return value as unknown as ReturnType<typeof decodeAsrTask>;
}

/** Live input: a type byte, then samples. */
export function* encodeAsrInput(input: AsrInput): Generator<Uint8Array> {
  if (input === 'flush') {
    yield FLUSH;
    return;
  }
  for (let start = 0; start < input.length; start += SAMPLES_MAX) {
    const samples = input.subarray(start, start + SAMPLES_MAX);
    const payload = new Uint8Array(1 + samples.byteLength);
    payload[0] = AUDIO;
    payload.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), 1);
    yield payload;
  }
}

export function decodeAsrInput(payload: Uint8Array): AsrInput {
  if (payload[0] !== AUDIO) return 'flush';
  return new Float32Array(new Uint8Array(payload.subarray(1)).buffer);
}

export function encodeAsrEvent(event: AsrEvent): Uint8Array {
  return encodeValue(event);
}

/** Throws a `TypeError` for a value that is not an event. */
export function decodeAsrEvent(bytes: Uint8Array): AsrEvent {
  const value = decodeValue(bytes);
  const types: readonly unknown[] = ['segment', 'progress', 'partial', 'end'];
  if (!isRecord(value) || !types.includes(value.type))
    throw new TypeError('The event is not of a transcription.');
  // Workers of the cluster send events of the domain: the type is checked.
  return value as unknown as AsrEvent;
}
