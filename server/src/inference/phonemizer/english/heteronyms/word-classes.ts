import type { SpokenWord } from '../../../../text/piece.ts';

/** Closed word classes; all other words are classified by their ending. */
const CLOSED_CLASSES: Readonly<Record<string, string>> = {
  article: 'a an the',
  possessive: 'my your his her its our their whose',
  demonstrative: 'this these those',
  that: 'that',
  quantifier: `every each no some any another either neither both many few several most more much less enough all such
    what which certain various`,
  number: `one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand
    million first second third last next`,
  subject: 'i we they he she who',
  pronoun: 'you it',
  object: 'them him us me himself herself itself themselves myself yourself',
  modal: `will would shall should can could may might must cannot can't won't wouldn't shouldn't couldn't i'll you'll
    he'll she'll it'll we'll they'll i'd you'd he'd she'd we'd they'd`,
  do: "do does did don't doesn't didn't let let's please help helps helped helping",
  to: 'to',
  be: `am is are was were be been being isn't aren't wasn't weren't i'm you're we're they're he's she's it's that's
    there's what's who's become became remain remained seem seems seemed`,
  have: "have has had having i've you've we've they've haven't hasn't hadn't",
  preposition: `of in on at by for from with about into over under after before between through during against among
    within without across behind beyond near upon per via as than like around along toward towards out up down off`,
  degree: 'very so too quite rather really extremely how pretty fairly almost',
  adverb: `not never always also often just still even only usually sometimes seldom rarely ever then now soon already
    again here there`,
  conjunction: 'and or but',
  subordinator: 'if because when while where why although though since until unless whether',
  indefinite: `nobody somebody everybody anybody someone everyone anyone nothing something everything anything`,
  plural: 'people police children men women parents kids students',
};

const CLASS_OF_WORD: ReadonlyMap<string, string> = new Map(
  Object.entries(CLOSED_CLASSES).flatMap(([name, words]) =>
    words.split(/\s+/).map((word) => [word, name] as const),
  ),
);

const ENDING =
  /(?:ing|ed|ly|tion|sion|ment|ness|ity|ism|ist|ous|ful|ive|ic|al|able|ible|ish|less|ary|ern|er|or|ship|ance|ence|est|ize|ise|ate|ify|ss|s)$/;

/** The word in lower case with straight apostrophes. */
export function normalizeWord({ text }: SpokenWord): string {
  return text.toLowerCase().replaceAll('’', "'");
}

export function isClosedClass(word: string): boolean {
  return CLASS_OF_WORD.has(word);
}

/** The class of a word: its closed class, a genitive, a name, or its ending. */
export function classOfWord(word: SpokenWord, isFirst: boolean): string {
  const lower = normalizeWord(word);
  const closed = CLASS_OF_WORD.get(lower);
  if (closed !== undefined) return closed;
  if (/'s$|s'$/.test(lower)) return 'genitive';
  if (!isFirst && /^\p{Lu}/u.test(word.text)) return /[^s]s$/.test(lower) ? 'names' : 'name';
  return ENDING.exec(lower)?.[0] ?? 'other';
}
