import { type HostileText, quoted, repeat, surround } from './hostile-text.ts';
import { CUES, ENTITIES, TAGS } from './markup-units.ts';
import { MIXED_TEXTS } from './mixed-texts.ts';
import { NUMBERS, PUNCTUATION, SCRIPTS, SPACES, WORDS } from './plain-units.ts';
import { SSML_TEXTS } from './ssml-texts.ts';
import { STRUCTURED_TEXTS } from './structured-texts.ts';

const REPEATED: readonly HostileText[] = [
  ...CUES,
  ...TAGS,
  ...ENTITIES,
  ...PUNCTUATION,
  ...SPACES,
  ...NUMBERS,
  ...WORDS,
  ...SCRIPTS,
].map((unit) => ({ name: `${quoted(unit)} repeated`, generate: (length) => repeat(unit, length) }));

/** Text without words between two words: all of it is processed for one phrase. */
const BETWEEN_WORDS: readonly HostileText[] = [
  ...CUES.slice(0, 24),
  ...TAGS.slice(5, 11),
  ...ENTITIES.slice(0, 3),
  ...PUNCTUATION.slice(0, 24),
  ...SPACES,
].map((unit) => ({
  name: `${quoted(unit)} between two words`,
  generate: (length) => surround('One ', unit, ' two.', length),
}));

/** All generators. */
export const HOSTILE_TEXTS: readonly HostileText[] = [
  ...REPEATED,
  ...BETWEEN_WORDS,
  ...STRUCTURED_TEXTS,
  ...SSML_TEXTS,
  ...MIXED_TEXTS,
];
