import { type PackedSamples, unpackSamples } from '../../../audio/packed-samples.ts';
import type { Utterance, WordTime } from '../../../domain/engines/tts-engine.ts';
import type { MeasuredSpeechPart } from '../../../domain/speech/speech-workers.ts';
import { PAYLOAD_MAX_BYTES } from '../protocol/messages.ts';
import { isRecord } from '../remote/is-record.ts';
import { decodeValue, encodeValue } from '../remote/value-codec.ts';

/** An utterance for a remote worker. */
export interface RemoteUtterance {
  readonly engine: string;
  readonly utterance: Utterance;
  /** Time until the first audio is due. Relative, since clocks differ. */
  readonly dueInMs: number;
  readonly isFirstAudio: boolean;
  /** Stands for the account; for fairness only. */
  readonly owner: string;
  /** Whether the gateway reads packed samples. Absent: it is of an earlier version, which reads floats. */
  readonly acceptsPacked?: boolean | undefined;
  /** The span that the worker continues, in the format of the W3C header. Absent: the utterance is not traced. */
  readonly traceparent?: string | undefined;
}

/** Bytes of samples per payload: four seconds of packed ones. The rest of the limit is for word times. */
const SAMPLES_MAX_BYTES = (PAYLOAD_MAX_BYTES * 3) / 4;
/** Word times of one payload. An utterance has at most 150 characters, and phonemes take about 60 bytes each. */
const WORD_TIMES_MAX = 256;

export function encodeUtterance(job: RemoteUtterance): Uint8Array {
  return encodeValue(job);
}

/** Throws a `TypeError` for a value that is not an utterance. */
export function decodeUtterance(bytes: Uint8Array): RemoteUtterance {
  const value = decodeValue(bytes);
  if (!isUtterance(value)) throw new TypeError('The task is not an utterance.');
  return value;
}

/** The payloads of a part. A long part becomes several; the first one has the word times. */
export function* encodePart(
  part: MeasuredSpeechPart,
  { acceptsPacked = false }: Pick<RemoteUtterance, 'acceptsPacked'> = {},
): Generator<Uint8Array> {
  const { sampleRateHz, wordTimes, workSeconds } = part;
  const packed = acceptsPacked ? part.packed : undefined;
  const { buffer, byteOffset, byteLength } = packed?.values ?? part.samples;
  for (let start = 0; start === 0 || start < byteLength; start += SAMPLES_MAX_BYTES) {
    const isFirst = start === 0;
    yield encodeValue({
      rate: sampleRateHz,
      samples: new Uint8Array(buffer, byteOffset + start, Math.min(SAMPLES_MAX_BYTES, byteLength - start)),
      ...(packed && { scale: packed.scale }),
      ...(isFirst && wordTimes !== undefined && { words: wordTimes.slice(0, WORD_TIMES_MAX) }),
      ...(isFirst && workSeconds !== undefined && { work: workSeconds }),
    });
  }
}

/** Throws a `TypeError` for a value that is not a part. */
export function decodePart(bytes: Uint8Array): MeasuredSpeechPart {
  const value = decodeValue(bytes);
  if (!isPart(value)) throw new TypeError('The event is not audio.');
  const { samples, scale, rate, words, work } = value;
  // A copy: the bytes are not aligned, and the message would stay in memory with them.
  const { buffer } = new Uint8Array(samples);
  return {
    samples:
      scale === undefined
        ? new Float32Array(buffer)
        : unpackSamples({ values: new Int16Array(buffer), scale }),
    sampleRateHz: rate,
    ...(words !== undefined && { wordTimes: words }),
    ...(work !== undefined && { workSeconds: work }),
  };
}

interface WirePart {
  readonly rate: number;
  /** Floats, or packed values if there is a scale. */
  readonly samples: Uint8Array;
  readonly scale?: PackedSamples['scale'];
  readonly words?: readonly WordTime[];
  readonly work?: number;
}

function isPart(value: unknown): value is WirePart {
  return (
    isRecord(value) &&
    typeof value.rate === 'number' &&
    value.rate > 0 &&
    value.samples instanceof Uint8Array &&
    (value.scale === undefined || Number.isFinite(value.scale)) &&
    value.samples.byteLength % (value.scale === undefined ? Float32Array : Int16Array).BYTES_PER_ELEMENT ===
      0 &&
    (value.words === undefined || Array.isArray(value.words)) &&
    (value.work === undefined || typeof value.work === 'number')
  );
}

/** Checks the outline: gateways of the cluster send utterances that the domain has made. */
function isUtterance(value: unknown): value is RemoteUtterance {
  return (
    isRecord(value) &&
    typeof value.engine === 'string' &&
    isRecord(value.utterance) &&
    Array.isArray(value.utterance.words) &&
    typeof value.dueInMs === 'number' &&
    typeof value.isFirstAudio === 'boolean' &&
    typeof value.owner === 'string' &&
    (value.traceparent === undefined || typeof value.traceparent === 'string')
  );
}
