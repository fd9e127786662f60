import type { Language } from '../piece.ts';

/** Words for phrase break prediction where there is no punctuation. */
export interface PhraseBreakWords {
  /** Words that begin a clause: a break before them is good. */
  readonly clauseStarts: ReadonlySet<string>;
  /** Words that begin a phrase: a break before them is acceptable. */
  readonly phraseStarts: ReadonlySet<string>;
  /** Words that attach to the next word, in lower case: never a break after them. */
  readonly proclitics: ReadonlySet<string>;
}

function breakWords(clauseStarts: string, phraseStarts: string, leaningWords = ''): PhraseBreakWords {
  const [clause, phrase, leaning] = [clauseStarts, phraseStarts, leaningWords].map(
    (list) => new Set(list.split(' ')),
  );
  return { clauseStarts: clause!, phraseStarts: phrase!, proclitics: leaning! };
}

const NONE = breakWords('', '');
const ENGLISH = breakWords(
  'and but or because so when while where which who that if although though unless until since before after as then',
  'with without from into onto through during between among against about at in on by for to over under near',
  'a an the my your his her its our their this these those no is are was were be been being am have has had do does did ' +
    'will would can could should may might must shall not of to and or but that which who if as than very so too just ' +
    'with without from into onto through during between among against about at in on by for over under near',
);

/** Break words by language; empty for languages without spaces and for undetermined ones. */
export const PHRASE_BREAK_WORDS: Readonly<Record<Language, PhraseBreakWords>> = {
  'en-US': ENGLISH,
  'en-GB': ENGLISH,
  es: breakWords(
    'y e o pero porque que cuando donde si aunque mientras como',
    'con sin desde hasta para por en sobre entre según',
    'el la los las un una de del al y o que con sin para por en es son fue era no su sus mi tu',
  ),
  fr: breakWords(
    'et ou mais car que qui quand où si comme lorsque puisque',
    'avec sans depuis jusque pour par en sur dans entre dès après avant pendant',
    'le la les un une des de du au aux et ou que qui avec sans pour par en sur dans est sont était ne se ce son sa ses',
  ),
  it: breakWords(
    'e ed o ma perché che quando dove se anche mentre come',
    'con senza da dal dalla fino per in nel nella su tra fra',
    'il lo la i gli le un una di del della e o che con per in da è sono era non si suo sua',
  ),
  'pt-BR': breakWords(
    'e ou mas porque que quando onde se embora enquanto como',
    'com sem desde até para por em no na sobre entre',
    'o a os as um uma de do da e ou que com sem para por em é são foi era não se seu sua',
  ),
  hi: breakWords('और या लेकिन क्योंकि कि जब तब जहाँ अगर तो जो मगर इसलिए', ''),
  ja: NONE,
  zh: NONE,
  und: NONE,
};
