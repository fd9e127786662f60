import type { Currency } from '../numbers/number-verbalizer.ts';

/** The few words that reading a language's signs and abbreviations takes. */
export interface VerbalizerLexicon {
  /** By first letter, longest first: as written, with the full stop, and as said. */
  readonly abbreviations: ReadonlyMap<string, readonly (readonly [written: string, said: string])[]>;
  readonly signs: Readonly<Record<string, string>>;
  /** Signs that are said within web and e-mail addresses only. */
  readonly addressSigns: Readonly<Record<string, string>>;
  /** Said for the dash of a range; empty where the dash is only a pause. */
  readonly to: string;
  /** Symbols that are words of the language and so no units. */
  readonly notUnits: ReadonlySet<string>;
  /** Stands after a calendar year. */
  readonly yearMark: string;
  /** Telephone numbers are said in numbers of two figures where they are written so. */
  readonly saysPhonePairs: boolean;
  /** What `¥` means. */
  readonly yen: Currency;
  /** Numbers are read as numbers only, and signs not at all. */
  readonly isPlain: boolean;
}

const EMPTY_LEXICON: VerbalizerLexicon = {
  abbreviations: new Map(),
  signs: {},
  addressSigns: {},
  to: '',
  notUnits: new Set(),
  yearMark: '',
  saysPhonePairs: false,
  yen: 'JPY',
  isPlain: false,
};

/** Entries such as `Sr. señor`, with a comma between them. */
function abbreviations(list: string): VerbalizerLexicon['abbreviations'] {
  const byLetter = new Map<string, [string, string][]>();
  for (const entry of list.split(', ')) {
    const space = entry.indexOf(' ');
    const [written, said] = [entry.slice(0, space), entry.slice(space + 1)];
    byLetter.set(written[0]!, [...(byLetter.get(written[0]!) ?? []), [written, said]]);
  }
  for (const entries of byLetter.values()) entries.sort(([a], [b]) => b.length - a.length);
  return byLetter;
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

/**
 * For text that is not to be normalised: signs unsaid, abbreviations as they stand. Their full stop goes,
 * because it ends no sentence.
 */
export function withoutNormalization(vocabulary: VerbalizerLexicon): VerbalizerLexicon {
  const asTheyStand = [...vocabulary.abbreviations].map(
    ([letter, entries]) => [letter, entries.map(([name]) => [name, lettersOf(name)] as const)] as const,
  );
  return { ...EMPTY_LEXICON, abbreviations: new Map(asTheyStand), isPlain: true };
}

function lettersOf(name: string): string {
  return name.replace(/[.º]/g, '');
}

/** Only for text that is not to be normalised: English has a reader of its own. */
export const ENGLISH_LEXICON: VerbalizerLexicon = {
  ...EMPTY_LEXICON,
  abbreviations: abbreviations(
    'Mr. mister, Mrs. missus, Ms. miz, Dr. doctor, Prof. professor, St. saint, Rev. reverend, Gen. general, ' +
      'Col. colonel, Capt. captain, Lt. lieutenant, Sgt. sergeant, vs. versus, approx. approximately',
  ),
};

/** For a language we know nothing of: words as they stand, numbers in figures, signs unsaid. */
export const UNDETERMINED_LEXICON: VerbalizerLexicon = { ...EMPTY_LEXICON, isPlain: true };

/** Spanish words for signs and abbreviations. */
export const SPANISH_LEXICON: VerbalizerLexicon = {
  ...EMPTY_LEXICON,
  abbreviations: abbreviations(
    'Sr. señor, Sra. señora, Srta. señorita, Dr. doctor, Dra. doctora, D. don, Dña. doña, Ud. usted, Uds. ustedes, ' +
      'Prof. profesor, etc. etcétera, núm. número, n.º número, nº número, pág. página, Av. avenida, Avda. avenida, ' +
      'aprox. aproximadamente, tel. teléfono, EE.UU. Estados Unidos',
  ),
  signs: { '&': 'y', '@': 'arroba', '%': 'por ciento', '=': 'igual a', '+': 'más' },
  addressSigns: { '.': 'punto', '/': 'barra', '-': 'guion', _: 'guion bajo' },
  to: 'a',
  notUnits: words('a y e o u'),
};

/** French words for signs and abbreviations. */
export const FRENCH_LEXICON: VerbalizerLexicon = {
  ...EMPTY_LEXICON,
  abbreviations: abbreviations(
    'M. monsieur, Mme madame, Mme. madame, Mlle mademoiselle, Mlle. mademoiselle, MM. messieurs, Dr docteur, ' +
      'Dr. docteur, Pr professeur, Pr. professeur, etc. et cetera, env. environ, tél. téléphone, St saint, ' +
      'Ste sainte, cf. confer, p.ex. par exemple, n° numéro, av. avenue',
  ),
  signs: { '&': 'et', '@': 'arobase', '%': 'pour cent', '=': 'égale', '+': 'plus', '№': 'numéro' },
  addressSigns: { '.': 'point', '/': 'slash', '-': 'tiret', _: 'tiret bas' },
  to: 'à',
  notUnits: words('a à y'),
  saysPhonePairs: true,
};

/** Italian words for signs and abbreviations. */
export const ITALIAN_LEXICON: VerbalizerLexicon = {
  ...EMPTY_LEXICON,
  abbreviations: abbreviations(
    'Sig. signor, Sig.ra signora, Sig.na signorina, Dott. dottor, Dott.ssa dottoressa, Dr. dottor, Prof. professor, ' +
      'Prof.ssa professoressa, Ing. ingegner, Avv. avvocato, ecc. eccetera, pag. pagina, n. numero, tel. telefono',
  ),
  signs: { '&': 'e', '@': 'chiocciola', '%': 'per cento', '=': 'uguale', '+': 'più' },
  addressSigns: { '.': 'punto', '/': 'barra', '-': 'trattino', _: 'trattino basso' },
  to: 'a',
  notUnits: words('a e o'),
};

/** Brazilian Portuguese words for signs and abbreviations. */
export const PORTUGUESE_LEXICON: VerbalizerLexicon = {
  ...EMPTY_LEXICON,
  abbreviations: abbreviations(
    'Sr. senhor, Sra. senhora, Srta. senhorita, Dr. doutor, Dra. doutora, Prof. professor, Profa. professora, ' +
      'etc. etcétera, pág. página, Av. avenida, tel. telefone, aprox. aproximadamente, nº número, n.º número',
  ),
  signs: { '&': 'e', '@': 'arroba', '%': 'por cento', '=': 'igual a', '+': 'mais' },
  addressSigns: { '.': 'ponto', '/': 'barra', '-': 'hífen', _: 'sublinhado' },
  to: 'a',
  notUnits: words('a e o'),
};

/** Hindi words for signs and abbreviations. */
export const HINDI_LEXICON: VerbalizerLexicon = {
  ...EMPTY_LEXICON,
  abbreviations: abbreviations('डॉ. डॉक्टर, श्री. श्री, प्रो. प्रोफ़ेसर'),
  signs: { '&': 'और', '%': 'प्रतिशत', '+': 'जमा', '=': 'बराबर' },
  addressSigns: { '@': 'ऐट', '.': 'डॉट', '/': 'स्लैश', '-': 'डैश', _: 'अंडरस्कोर' },
  to: 'से',
};

/** Japanese words for signs and abbreviations. */
export const JAPANESE_LEXICON: VerbalizerLexicon = {
  ...EMPTY_LEXICON,
  signs: { '%': 'パーセント', '&': 'アンド', '+': 'プラス' },
  addressSigns: { '@': 'アットマーク', '.': 'ドット', '/': 'スラッシュ', '-': 'ハイフン' },
  to: 'から',
  yearMark: '年',
};

/** Chinese words for signs and abbreviations. */
export const CHINESE_LEXICON: VerbalizerLexicon = {
  ...EMPTY_LEXICON,
  signs: { '%': '百分号', '&': '和', '+': '加', '=': '等于' },
  addressSigns: { '@': '艾特', '.': '点', '/': '斜杠', '-': '横杠' },
  to: '到',
  yearMark: '年',
  yen: 'CNY',
};
