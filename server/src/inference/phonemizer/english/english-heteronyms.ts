import type { SpokenWord } from '../../../text/piece.ts';

interface Rule {
  readonly word: string;
  /** A homophone in the dictionary. */
  readonly as: string;
  /** Tested against the preceding words, in lower case and joined with spaces. */
  readonly before?: RegExp;
  /** Tested against the following word; the empty string before a pause. */
  readonly after?: RegExp;
}

/** Heteronyms that are distinguished by their neighbours, not by their part of speech. */
const RULES: readonly Rule[] = [
  // The Chinese name; the Greek letter only where letters are named.
  { word: 'xi', as: 'shee', before: /^(?!.*\b(?:letters?|greek|psi|nu|variable)$)/ },
  {
    word: 'lead',
    as: 'led',
    after: /^(?:pipes?|paint|poisoning|acid|bullets?|weights?|shot|ore|mines?|pencils?|free)$/,
  },
  { word: 'lead', as: 'led', before: /\b(?:molten|liquid|containing|contains|made of)$/ },
  {
    word: 'bass',
    as: 'base',
    after: /^(?:guitars?|players?|lines?|drums?|clef|notes?|solo|voice|singers?|boost)$/,
  },
  { word: 'bass', as: 'base', before: /\b(?:double|electric|upright|acoustic|on|the|play|plays|played)$/ },
  { word: 'resume', as: 'résumé', before: /\b(?:my|your|his|her|their|our|a|updated|new)$/ },
  { word: 'tear', as: 'tier', after: /^(?:gas|drops?|ducts?|stained)$/ },
  { word: 'tear', as: 'tare', before: /\b(?:the|a|this|that)$/, after: /^in$/ },
  { word: 'tear', as: 'tare', before: /\bwear and$/ },
  { word: 'tears', as: "tier's", before: /\b(?:in|of|with|to|her|his|my|their|your|into|through|shed)$/ },
  { word: 'minute', as: 'minnit', after: /^(?:hands?|marks?|books?|steaks?|by|past|ago|later)$/ },
  { word: 'dove', as: 'doave', after: /^(?:into|under|down|deep|deeper|headfirst|straight)$/ },
  { word: 'bow', as: 'bough', before: /\b(?:take|takes|took|taking|make|made) (?:a|his|her|their)$/ },
  { word: 'bow', as: 'bough', before: /\bthe$/, after: /^of$/ },
  { word: 'bow', as: 'beau', after: /^(?:tie|ties|and|string)$/ },
  {
    word: 'wind',
    as: 'whined',
    before: /\b(?:to|will|should|can|you|i|we|they|and)$/,
    after: /^(?:up|down|back|through|around)$/,
  },
];

const WORDS_BEFORE = 3;

/** The pronunciation determined by the neighbours; undefined if no rule matches. */
export function pronounceByContext(
  word: string,
  words: readonly SpokenWord[],
  index: number,
  pronounce: (word: string) => string | undefined,
): string | undefined {
  const lower = word.toLowerCase();
  if (!RULES.some((rule) => rule.word === lower)) return undefined;
  const before = words
    .slice(Math.max(0, index - WORDS_BEFORE), index)
    .map(({ text }) => text.toLowerCase())
    .join(' ');
  const after = words[index]!.after === '' ? (words[index + 1]?.text.toLowerCase() ?? '') : '';
  const rule = RULES.find(
    (candidate) =>
      candidate.word === lower &&
      (candidate.before?.test(before) ?? true) &&
      (candidate.after?.test(after) ?? true),
  );
  return rule === undefined ? undefined : pronounce(rule.as);
}
