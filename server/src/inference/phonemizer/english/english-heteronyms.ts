import type { SpokenWord } from '../../../text/piece.ts';
import type { Tag } from './english-context.ts';

interface Rule {
  readonly word: string;
  /** A homophone in the dictionary; absent: the word itself. */
  readonly as?: string;
  /** The part of speech; absent: the one suggested by the neighbours. */
  readonly tag?: Tag;
  /** Applies to the word as it is written here: "Reading" the town, "Polish" the language. */
  readonly written?: RegExp;
  /** Tested against the preceding words, in lower case and joined with spaces. */
  readonly before?: RegExp;
  /** Tested against the following word; the empty string before a pause. */
  readonly after?: RegExp;
  /** Tested against all other words of the piece: its topic. */
  readonly topic?: RegExp;
}

const FISHING =
  /\b(?:fish|fishing|fished|fishes|fisherman|fishermen|caught|catch|swim|swims|swimming|swam|lake|lakes|river|pond|sea|angler|anglers|striped|largemouth|grilled|fried|baked|fillet|fillets|bait|trout|cod|ate|eat|cook|cooked|boat|hook)\b/;
const WOODCUTTING =
  /\b(?:wood|woods|woodcutters?|woodsm[ae]n|trees?|chop|chopped|chopping|forest|lumberjacks?|firem[ae]n|firefighters|battle|sharpened?|swords?|hatchets?|tools?|blades?|stone|handles?|logs?|weapons?|warriors?|vikings?|shed|swung|threw|throwing)\b/;
const TOWN =
  /\b(?:town|city|england|berkshire|pennsylvania|train|trains|station|london|university|fc|festival|lives?|lived|moved|drove|born|thames|oxford)\b/;
const CRYING =
  /\b(?:eyes?|cheeks?|cry|cried|crying|weep|wept|weeping|face|sobs?|sobbing|emotion|joy|grief|shed|laughter)\b/;
const SEWING =
  /\b(?:sew|sews|sewing|dress|dresses|quilts?|garments?|cloth|clothes|shirts?|stitch|needles?|fabrics?|tailors?|seamstress|curtains|costumes|quilters?|knitters?|embroidery|thread)\b/;

/** Heteronyms that are distinguished by their neighbours, not by their part of speech. */
const RULES: readonly Rule[] = [
  // A fish, unless it is played.
  {
    word: 'bass',
    as: 'basse',
    after: /^(?!(?:guitars?|players?|lines?|drums?|clef|notes?|solo)$)/,
    topic: FISHING,
  },
  {
    word: 'reading',
    as: 'redding',
    written: /^Reading$/,
    before: /\b(?:in|to|from|near|at|of|via|through)$/,
    topic: TOWN,
  },
  {
    word: 'reading',
    as: 'redding',
    written: /^Reading$/,
    after: /^is$/,
    topic: /\b(?:town|city|england|berkshire|pennsylvania)\b/,
  },
  // "They stood close to the fire."
  {
    word: 'close',
    tag: 'ADJ',
    before: /^(?!.*\b(?:to|will|would|must|should|can|could|may|might|not|did|do|does|they|we)$)/,
    after: /^(?:to|by|together|behind|enough|friends?)$/,
  },
  { word: 'close', tag: 'NOUN', before: /\bthe$/, after: /^of$/ },
  { word: 'axes', tag: 'VERB', topic: WOODCUTTING },
  { word: 'lima', as: 'lyma', after: /^beans?$/ },
  {
    word: 'does',
    as: 'doze',
    before: /\b(?:the|two|three|four|five|several|some|many|few|these|those|young|and)$/,
    topic: /\b(?:deer|fawns?|bucks?|stags?|forest|meadow|herd|hunters?|grazed|grazing)\b/,
  },
  { word: 'sewer', as: 'soer', topic: SEWING },
  { word: 'sewers', as: "soer's", topic: SEWING },
  {
    word: 'number',
    as: 'nummer',
    before:
      /\b(?:grew|grow|grows|growing|grown|became|become|becomes|becoming|getting|got|get|gets|felt|feel|feels|feeling|went|even)$/,
    after: /^(?:and|in|with|by|than|as|until|every|from|the|each|now|still|)$/,
  },
  {
    word: 'row',
    as: 'rouw',
    before:
      /\b(?:a|an|the|this|that|another|big|blazing|huge|terrible|furious|diplomatic|political|public|family|international|fresh|bitter)$/,
    after: /^(?:about|over|broke|erupted|with|between|followed)$/,
  },
  {
    word: 'row',
    as: 'rouw',
    before:
      /\b(?:blazing|furious|diplomatic|political|terrible|bitter)$|\b(?:had|having|kicked up|started|caused) an? (?:big |huge )?$/,
    after: /^(?!of$|in$|and$)/,
  },
  {
    word: 'wind',
    tag: 'VERB',
    before:
      /\b(?:rivers?|roads?|paths?|trails?|streams?|streets?|tracks?|staircases?|stairs|vines?|creek|lanes?)$/,
    after: /^(?:through|around|along|up|down|past|between|towards?|into|its|their|across|over)$/,
  },
  {
    word: 'winds',
    tag: 'VERB',
    before: /\b(?:river|road|path|trail|stream|street|track|staircase|vine|creek|lane|it|he|she|which)$/,
    after: /^(?:through|around|along|up|down|past|between|towards?|into|its|across|over|back)$/,
  },
  {
    word: 'produce',
    tag: 'NOUN',
    before:
      /\b(?:fresh|local|organic|seasonal|farm|garden|dairy|homegrown|cheap|quality|surplus|of|locally grown)$/,
  },
  {
    word: 'content',
    tag: 'ADJ',
    before:
      /\b(?:make|makes|made|making|keep|keeps|kept|left) (?:her|him|me|us|them|you|it|everyone|everybody)$/,
    after: /^(?:and|with|to|in|for|at|again|)$/,
  },
  {
    word: 'polish',
    as: 'pollish',
    written: /^Polish$/,
    before: /^$/,
    after: /^(?:the|your|it|them|this|these|those|my|his|her|our|their|up|all|each|every|a|until|and)$/,
  },
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
  { word: 'tears', as: "tier's", topic: CRYING },
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
  pronounce: (word: string, tag?: Tag) => string | undefined,
): string | undefined {
  const lower = word.toLowerCase();
  if (!RULES.some((rule) => rule.word === lower)) return undefined;
  const before = words
    .slice(Math.max(0, index - WORDS_BEFORE), index)
    .map(({ text }) => text.toLowerCase())
    .join(' ');
  const after = words[index]!.after === '' ? (words[index + 1]?.text.toLowerCase() ?? '') : '';
  const topic = () =>
    words
      .filter((_, at) => at !== index)
      .map(({ text }) => text.toLowerCase())
      .join(' ');
  const rule = RULES.find(
    (candidate) =>
      candidate.word === lower &&
      (candidate.written?.test(word) ?? true) &&
      (candidate.before?.test(before) ?? true) &&
      (candidate.after?.test(after) ?? true) &&
      (candidate.topic?.test(topic()) ?? true),
  );
  return rule === undefined ? undefined : pronounce(rule.as ?? lower, rule.tag);
}
