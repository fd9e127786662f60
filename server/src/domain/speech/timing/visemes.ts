import type { PhonemeTime } from '../../engines/tts-engine.ts';

/**
 * The shapes of a mouth, as most avatars know them: the fifteen of the Oculus lip-sync set. `sil` is a mouth at
 * rest; it stands between words, where nothing is listed.
 */
const PHONEMES_OF_VISEME = {
  PP: 'pbm',
  FF: 'fvʋⱱ',
  TH: 'θð',
  DD: 'tdʈɖɗ',
  kk: 'kgɡɢqxɣχhħɦʔcɟ',
  CH: 'ʧʤʃʒʨʥꭧSɕʝ',
  SS: 'szʦʣʂʐç',
  nn: 'nlŋɲɳɴɫɭʎ',
  RR: 'rɹɾɻʁʀɽɚɝɜ',
  aa: 'aɑæɐʌɒAIW',
  E: 'eɛəᵊɘɤ',
  ih: 'iɪjɨᵻyʏYT',
  oh: 'oɔøœOQɞɵ',
  ou: 'uʊwɯʉʍᵝɰɥ',
} as const;

export type Viseme = keyof typeof PHONEMES_OF_VISEME;

/** A shape of the mouth, in seconds from the start of its chunk. */
export interface TimedViseme {
  readonly viseme: Viseme;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

export const VISEMES = Object.keys(PHONEMES_OF_VISEME) as Viseme[];

const VISEME_OF_PHONEME = new Map(
  VISEMES.flatMap((viseme) => Array.from(PHONEMES_OF_VISEME[viseme], (symbol) => [symbol, viseme] as const)),
);

/**
 * The shapes of the mouth for phonemes in a row. Equal neighbours are one; marks of stress, length and tone have
 * no shape and lengthen the one before. `place` puts a time where it is heard.
 */
export function toVisemes(
  phonemes: readonly PhonemeTime[],
  place: (seconds: number) => number = (seconds) => seconds,
): TimedViseme[] {
  const visemes: TimedViseme[] = [];
  for (const { symbol, startSeconds, endSeconds } of phonemes) {
    const last = visemes.at(-1);
    const viseme = VISEME_OF_PHONEME.get(symbol) ?? last?.viseme;
    if (viseme === undefined) continue;
    if (viseme === last?.viseme) visemes[visemes.length - 1] = { ...last, endSeconds: place(endSeconds) };
    else visemes.push({ viseme, startSeconds: place(startSeconds), endSeconds: place(endSeconds) });
  }
  return visemes;
}
