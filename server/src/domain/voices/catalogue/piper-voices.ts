import type { Language } from '../../../text/piece.ts';
import { type Voice, voiceId } from '../voice.ts';

/** A Piper voice that was found on this machine. */
export interface PiperVoice {
  /** The file's name without its endings, such as `de_DE-thorsten-medium`. */
  readonly name: string;
  /** The engine that loads it. */
  readonly engine: string;
  readonly language: Language;
  readonly locale: string;
  /** What the engine calls its speakers; one for most voices. */
  readonly speakers: readonly [string, ...string[]];
  readonly addedAtMs: number;
}

/** What Piper voices are near; levelling finds the rest by listening. */
const TYPICAL_LOUDNESS_LUFS = -20;

/** The voices a client can name: the file itself for its first speaker, `file-speaker` for every other. */
export function piperVoices(found: PiperVoice): readonly Voice[] {
  return found.speakers.map((speaker, index) => {
    const name = index === 0 ? found.name : `${found.name}-${speaker}`;
    return {
      id: voiceId('piper', name),
      name,
      title: name,
      description: `A Piper voice of this installation, ${found.locale}.`,
      engine: found.engine,
      engineVoice: speaker,
      language: found.language,
      locale: found.locale,
      gender: 'unknown',
      loudnessLufs: TYPICAL_LOUDNESS_LUFS,
      tags: [found.locale.toLowerCase(), 'piper'],
      isListed: index === 0,
      createdAtMs: found.addedAtMs,
    };
  });
}
