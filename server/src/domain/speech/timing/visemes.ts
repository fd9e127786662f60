import type { PhonemeTime } from '../../engines/tts-engine.ts';

/** The visemes of the Oculus lip-sync set, with their phonemes. The fifteenth, `sil`, is implied between words. */
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

/** A viseme with its time span, in seconds from the start of its chunk. */
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
 * Converts phonemes to visemes. Equal neighbours are merged; stress, length and tone marks extend the preceding
 * viseme. `place` maps engine times to chunk times.
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
