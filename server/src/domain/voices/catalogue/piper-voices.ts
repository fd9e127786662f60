import type { Language } from '../../../text/piece.ts';
import { type Voice, voiceId } from '../voice.ts';

/** An installed Piper voice. */
export interface PiperVoice {
  /** Name of the file without extension, such as `de_DE-thorsten-medium`. */
  readonly name: string;
  /** Name of the engine. */
  readonly engine: string;
  readonly language: Language;
  readonly locale: string;
  /** Names of its speakers within the engine; most voices have one. */
  readonly speakers: readonly [string, ...string[]];
  readonly addedAtMs: number;
}

/** Initial value of loudness normalization, which then measures the speech. */
const TYPICAL_LOUDNESS_LUFS = -20;

/** One voice per speaker: `file` for the first speaker, `file-speaker` for the others. */
export function createPiperVoices(found: PiperVoice): readonly Voice[] {
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
      isLoudnessTypical: true,
      tags: [found.locale.toLowerCase(), 'piper'],
      isListed: index === 0,
      createdAtMs: found.addedAtMs,
    };
  });
}
