import type { Language } from '../../../text/piece.ts';
import type { Gender } from '../../engines/voice-encoder.ts';
import { type Voice, voiceId } from '../voice.ts';

/** A listed speaker of a multi-speaker model. */
export interface NamedSpeaker {
  /** Index in the model's speaker table. */
  readonly speaker: number;
  /** A given name, unique among the listed speakers. */
  readonly name: string;
  readonly gender: 'female' | 'male';
  /** One sentence. */
  readonly description: string;
  readonly loudnessLufs: number;
  readonly tags?: readonly string[];
}

export interface SpeakerModel {
  readonly engine: string;
  /** Prefix of the names: `libritts` for `libritts-0`, `libritts-1`, … */
  readonly prefix: string;
  readonly speakerCount: number;
  readonly language: Language;
  readonly publishedAtMs: number;
  /** Loudness of speakers without a measured one. */
  readonly typicalLoudnessLufs: number;
}

/** One voice per speaker of the model. Only the named speakers are listed. */
export function createNumberedVoices(model: SpeakerModel, named: readonly NamedSpeaker[]): readonly Voice[] {
  const byNumber = new Map(named.map((speaker) => [speaker.speaker, speaker]));
  const listed = named.map(({ speaker }) => speaker);
  const others = Array.from({ length: model.speakerCount }, (_, number) => number).filter(
    (number) => !byNumber.has(number),
  );
  return [...listed, ...others].map((number) => toVoice(model, number, byNumber.get(number)));
}

function toVoice(model: SpeakerModel, number: number, named: NamedSpeaker | undefined): Voice {
  const name = `${model.prefix}-${number}`;
  const gender: Gender = named?.gender ?? 'unknown';
  return {
    id: voiceId(model.engine, name),
    name,
    title: named?.name ?? `Speaker ${number}`,
    description: named?.description ?? `Speaker ${number} of ${model.prefix}.`,
    engine: model.engine,
    engineVoice: String(number),
    language: model.language,
    locale: model.language,
    gender,
    loudnessLufs: named?.loudnessLufs ?? model.typicalLoudnessLufs,
    ...(named === undefined && { isLoudnessTypical: true }),
    tags: [...(gender === 'unknown' ? [] : [gender]), ...(named?.tags ?? []), model.engine],
    isListed: named !== undefined,
    createdAtMs: model.publishedAtMs,
  };
}
