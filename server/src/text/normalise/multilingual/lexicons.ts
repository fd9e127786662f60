import type { Currency } from '../numbers/number-verbalizer.ts';

/** A language's words for symbols and abbreviations. */
export interface VerbalizerLexicon {
  /** By first letter, longest first: as written, with the full stop, and verbalized. */
  readonly abbreviations: ReadonlyMap<string, readonly (readonly [written: string, words: string])[]>;
  readonly symbols: Readonly<Record<string, string>>;
  /** Symbols that are verbalized only in web and e-mail addresses. */
  readonly addressSymbols: Readonly<Record<string, string>>;
  /** Word for the dash of a range; empty if the dash is only a pause. */
  readonly to: string;
  /** Words of the language that are not units, although a unit has the same symbol. */
  readonly notUnits: ReadonlySet<string>;
  /** Suffix of a calendar year. */
  readonly yearMark: string;
  /** Whether groups of two digits in telephone numbers are verbalized as numbers. */
  readonly groupsPhoneDigits: boolean;
  /** The currency of `¥`. */
  readonly yen: Currency;
  /** Whether only numbers are verbalized, and symbols are dropped. */
  readonly isPlain: boolean;
}

const EMPTY_LEXICON: VerbalizerLexicon = {
  abbreviations: new Map(),
  symbols: {},
  addressSymbols: {},
  to: '',
  notUnits: new Set(),
  yearMark: '',
  groupsPhoneDigits: false,
  yen: 'JPY',
  isPlain: false,
};

/** Parses entries such as `Sr. señor`, separated by commas. */
function abbreviations(list: string): VerbalizerLexicon['abbreviations'] {
  const byLetter = new Map<string, [string, string][]>();
  for (const entry of list.split(', ')) {
    const space = entry.indexOf(' ');
    const [written, words] = [entry.slice(0, space), entry.slice(space + 1)];
    byLetter.set(written[0]!, [...(byLetter.get(written[0]!) ?? []), [written, words]]);
  }
  for (const entries of byLetter.values()) entries.sort(([a], [b]) => b.length - a.length);
  return byLetter;
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

/**
 * The lexicon for text without normalization: no symbols, and abbreviations as written. Their full stop is removed,
 * because it does not end a sentence.
 */
export function withoutNormalization(vocabulary: VerbalizerLexicon): VerbalizerLexicon {
  const verbatim = [...vocabulary.abbreviations].map(
    ([letter, entries]) => [letter, entries.map(([name]) => [name, lettersOf(name)] as const)] as const,
  );
  return { ...EMPTY_LEXICON, abbreviations: new Map(verbatim), isPlain: true };
}

function lettersOf(name: string): string {
  return name.replace(/[.º]/g, '');
}

/** Only for text without normalization; otherwise English has its own verbalizer. */
export const ENGLISH_LEXICON: VerbalizerLexicon = {
  ...EMPTY_LEXICON,
  abbreviations: abbreviations(
    'Mr. mister, Mrs. missus, Ms. miz, Dr. doctor, Prof. professor, St. saint, Rev. reverend, Gen. general, ' +
      'Col. colonel, Capt. captain, Lt. lieutenant, Sgt. sergeant, vs. versus, approx. approximately',
  ),
};

/** For undetermined languages: words and numbers as written, no symbols. */
export const UNDETERMINED_LEXICON: VerbalizerLexicon = { ...EMPTY_LEXICON, isPlain: true };

export const SPANISH_LEXICON: VerbalizerLexicon = {
  ...EMPTY_LEXICON,
  abbreviations: abbreviations(
    'Sr. señor, Sra. señora, Srta. señorita, Dr. doctor, Dra. doctora, D. don, Dña. doña, Ud. usted, Uds. ustedes, ' +
      'Prof. profesor, etc. etcétera, núm. número, n.º número, nº número, pág. página, Av. avenida, Avda. avenida, ' +
      'aprox. aproximadamente, tel. teléfono, EE.UU. Estados Unidos',
  ),
  symbols: { '&': 'y', '@': 'arroba', '%': 'por ciento', '=': 'igual a', '+': 'más' },
  addressSymbols: { '.': 'punto', '/': 'barra', '-': 'guion', _: 'guion bajo' },
  to: 'a',
  notUnits: words('a y e o u'),
};

export const FRENCH_LEXICON: VerbalizerLexicon = {
  ...EMPTY_LEXICON,
  abbreviations: abbreviations(
    'M. monsieur, Mme madame, Mme. madame, Mlle mademoiselle, Mlle. mademoiselle, MM. messieurs, Dr docteur, ' +
      'Dr. docteur, Pr professeur, Pr. professeur, etc. et cetera, env. environ, tél. téléphone, St saint, ' +
      'Ste sainte, cf. confer, p.ex. par exemple, n° numéro, av. avenue',
  ),
  symbols: { '&': 'et', '@': 'arobase', '%': 'pour cent', '=': 'égale', '+': 'plus', '№': 'numéro' },
  addressSymbols: { '.': 'point', '/': 'slash', '-': 'tiret', _: 'tiret bas' },
  to: 'à',
  notUnits: words('a à y'),
  groupsPhoneDigits: true,
};

export const ITALIAN_LEXICON: VerbalizerLexicon = {
  ...EMPTY_LEXICON,
  abbreviations: abbreviations(
    'Sig. signor, Sig.ra signora, Sig.na signorina, Dott. dottor, Dott.ssa dottoressa, Dr. dottor, Prof. professor, ' +
      'Prof.ssa professoressa, Ing. ingegner, Avv. avvocato, ecc. eccetera, pag. pagina, n. numero, tel. telefono',
  ),
  symbols: { '&': 'e', '@': 'chiocciola', '%': 'per cento', '=': 'uguale', '+': 'più' },
  addressSymbols: { '.': 'punto', '/': 'barra', '-': 'trattino', _: 'trattino basso' },
  to: 'a',
  notUnits: words('a e o'),
};

export const PORTUGUESE_LEXICON: VerbalizerLexicon = {
  ...EMPTY_LEXICON,
  abbreviations: abbreviations(
    'Sr. senhor, Sra. senhora, Srta. senhorita, Dr. doutor, Dra. doutora, Prof. professor, Profa. professora, ' +
      'etc. etcétera, pág. página, Av. avenida, tel. telefone, aprox. aproximadamente, nº número, n.º número',
  ),
  symbols: { '&': 'e', '@': 'arroba', '%': 'por cento', '=': 'igual a', '+': 'mais' },
  addressSymbols: { '.': 'ponto', '/': 'barra', '-': 'hífen', _: 'sublinhado' },
  to: 'a',
  notUnits: words('a e o'),
};

export const HINDI_LEXICON: VerbalizerLexicon = {
  ...EMPTY_LEXICON,
  abbreviations: abbreviations('डॉ. डॉक्टर, श्री. श्री, प्रो. प्रोफ़ेसर'),
  symbols: { '&': 'और', '%': 'प्रतिशत', '+': 'जमा', '=': 'बराबर' },
  addressSymbols: { '@': 'ऐट', '.': 'डॉट', '/': 'स्लैश', '-': 'डैश', _: 'अंडरस्कोर' },
  to: 'से',
};

export const JAPANESE_LEXICON: VerbalizerLexicon = {
  ...EMPTY_LEXICON,
  symbols: { '%': 'パーセント', '&': 'アンド', '+': 'プラス' },
  addressSymbols: { '@': 'アットマーク', '.': 'ドット', '/': 'スラッシュ', '-': 'ハイフン' },
  to: 'から',
  yearMark: '年',
};

export const CHINESE_LEXICON: VerbalizerLexicon = {
  ...EMPTY_LEXICON,
  symbols: { '%': '百分号', '&': '和', '+': '加', '=': '等于' },
  addressSymbols: { '@': '艾特', '.': '点', '/': '斜杠', '-': '横杠' },
  to: '到',
  yearMark: '年',
  yen: 'CNY',
};
