import type { SpokenWord } from '../../../text/piece.ts';

/** Part of speech, as far as pronunciation depends on it, in the dictionary's notation. */
export type Tag = 'NOUN' | 'VERB' | 'ADJ' | 'ADV' | 'VBD' | 'VBN' | 'DT';

const set = (words: string) => new Set(words.split(/\s+/));

const ARTICLES = set('a an the');
const DETERMINERS = set(`a an the this these those my your his her its our their whose every each no some any
  another either neither both one two three four five six seven eight nine ten many few several most more much
  less enough first second third last next new old good great big small own other same whole`);
const SUBJECTS = set('i you we they he she it who');
const OBJECTS = set('it them him us me you himself herself itself themselves myself yourself');
const MODALS = set(`will would shall should can could may might must cannot do does did let let's lets please
  i'll you'll he'll she'll it'll we'll they'll i'd you'd he'd she'd we'd they'd help helps helped`);
const BE =
  set(`am is are was were be been being isn't aren't wasn't weren't i'm you're we're they're he's she's
  it's that's there's what's who's become became remain remains remained seem seems seemed feel feels felt`);
const HAVE = set("have has had having i've you've we've they've haven't hasn't hadn't");
const PREPOSITIONS =
  set(`of in on at by for from with about into over under after before between through during
  against among within without across behind beyond near upon per via as than like`);
const DEGREES = set(
  'very so too quite rather really extremely more most less as how pretty fairly almost too',
);
const ADVERBS = set(
  'not never always also often just still even only usually sometimes seldom rarely ever then now soon already',
);
const ANYBODY =
  set(`nobody somebody everybody anybody someone everyone anyone one nothing something everything
  anything which`);
const PLURALS = set('people children men women police parents who which');
const PERSONS = set('i you we they he she people everyone everybody nobody children who');
const CONTRACTED_PERSONS = set("i'm you're we're they're he's she's who's");
const QUESTION_WORDS = set('where when why how what');

/** Heteronyms that can be an adjective before a noun or after "is". */
const ADJECTIVES =
  set(`absent abstract adulterate aggregate alternate animate appropriate approximate arithmetic
  articulate associate bass close closer compact complex consummate content converse deliberate degenerate desolate
  diffuse duplicate elaborate frequent graduate incarnate incorporate initiate inside intimate invalid jagged
  learned legitimate live minute moderate nearby overall overhead overweight perfect precipitate present ragged
  read separate subject subordinate ultimate underground unlearned uphill upset dogged crooked downhill downstairs`);

const ADJECTIVE_ENDING = /.{3}(?:al|ous|ful|ive|ic|able|ible|ish|less|ary|ern)$/;
const PAST_MARKERS = set('yesterday ago last was were had did once earlier previously when after');
const HABIT_MARKERS = set('every often usually always sometimes daily never generally');

/** A word with its neighbours up to the next pause. */
interface Neighbourhood {
  readonly word: string;
  readonly previous: string | undefined;
  readonly beforePrevious: string | undefined;
  readonly next: string | undefined;
  readonly afterNext: string | undefined;
}

const lower = (word: SpokenWord | undefined) => word?.text.toLowerCase().replaceAll('’', "'");
const isPause = (punctuation: string) => /[,;:.!?…—()]/.test(punctuation);

function neighbourhood(words: readonly SpokenWord[], index: number): Neighbourhood {
  const back: (string | undefined)[] = [];
  for (let at = index - 1; at >= 0 && back.length < 2; at--) {
    const word = words[at]!;
    if (isPause(word.after) || isPause(words[at + 1]!.before)) break;
    const text = lower(word)!;
    // "They often record": the word before the adverb is more informative than the adverb.
    if (back.length === 0 && (ADVERBS.has(text) || text.endsWith('ly'))) continue;
    back.push(text);
  }
  const ahead: (string | undefined)[] = [];
  for (let at = index + 1; at < words.length && ahead.length < 2; at++) {
    if (isPause(words[at - 1]!.after) || isPause(words[at]!.before)) break;
    ahead.push(lower(words[at]));
  }
  const [previous, beforePrevious] = back;
  const [next, afterNext] = ahead;
  return { word: lower(words[index])!, previous, beforePrevious, next, afterNext };
}

const isDetermining = (word: string) => DETERMINERS.has(word) || /['’]s$|s['’]$/.test(word);
const isFunctionWord = (word: string) =>
  [ARTICLES, SUBJECTS, OBJECTS, MODALS, BE, HAVE, PREPOSITIONS, QUESTION_WORDS].some((group) =>
    group.has(word),
  ) ||
  [
    'and',
    'or',
    'but',
    'to',
    'that',
    'if',
    'because',
    'out',
    'up',
    'down',
    'off',
    'away',
    'ago',
    'later',
    'each',
  ].includes(word);
const startsObject = (word: string) =>
  ARTICLES.has(word) ||
  OBJECTS.has(word) ||
  ['my', 'your', 'his', 'her', 'our', 'their', 'its', 'this', 'these', 'those', 'each', 'every'].includes(
    word,
  );

const PAST_VERBS =
  set(`said sat lay took went came got ran saw stood fell spoke slept woke ate drank wept rose knew
  gave kept left felt found told thought`);

/** "The invalid asked for water": a verb follows, not a noun that the word describes. */
function isPredicate({ next, afterNext }: Neighbourhood): boolean {
  if (next === undefined) return false;
  const isVerb = PAST_VERBS.has(next) || /[^e]ed$/.test(next);
  return isVerb && (afterNext === undefined || isFunctionWord(afterNext) || afterNext.endsWith('ly'));
}

/** The part of speech suggested by the neighbours; undefined when they are not informative. */
export function guessTag(words: readonly SpokenWord[], index: number): Tag | undefined {
  const context = neighbourhood(words, index);
  if (context.word === 'that') return tagOfThat(context);
  if (context.word === 'used') return tagOfUsed(context);
  if (context.word === 'read' || context.word === 'reread') return tagOfRead(words, index, context);
  if (context.word === 'content') return tagOfContent(context);
  const { word, previous, next } = context;
  const modifies =
    next !== undefined && !isFunctionWord(next) && !next.endsWith('ly') && !isPredicate(context);
  const canBeAdjective = ADJECTIVES.has(word);
  const isInflected = word.endsWith('s') && !word.endsWith('ss');
  const followsName = /^\p{Lu}/u.test(words[index - 1]?.text ?? '') && index > 1;

  if (previous === undefined) return tagAtStart({ ...context, modifies, canBeAdjective });
  if (previous === 'to' || MODALS.has(previous) || previous.endsWith("n't")) return 'VERB';
  if (HAVE.has(previous)) return word === 'wound' ? 'VBN' : canBeAdjective && modifies ? 'ADJ' : 'NOUN';
  if (BE.has(previous)) return canBeAdjective ? 'ADJ' : word === 'wound' ? 'VBN' : 'NOUN';
  if (DEGREES.has(previous) && canBeAdjective) return 'ADJ';
  if (previous === 'that' || previous === 'which') return isInflected ? 'VERB' : 'NOUN';
  if (isDetermining(previous)) return canBeAdjective && modifies ? 'ADJ' : 'NOUN';
  if (PREPOSITIONS.has(previous)) return canBeAdjective && modifies ? 'ADJ' : 'NOUN';
  if (SUBJECTS.has(previous)) return word === 'wound' ? 'VBD' : 'VERB';
  if (next === 'of') return 'NOUN';
  if (isInflected && (followsName || ANYBODY.has(previous))) return 'VERB';
  // "My sister lives in Boston."
  if (word === 'lives' && next !== undefined && PREPOSITIONS.has(next)) return 'VERB';
  if (next !== undefined && startsObject(next)) return word === 'wound' ? 'VBD' : 'VERB';
  if (ADJECTIVE_ENDING.test(previous)) return 'NOUN';
  if (next !== undefined && BE.has(next)) return 'NOUN';
  const pluralBefore = PLURALS.has(previous) || /[^s]s$/.test(previous);
  if (!isInflected && pluralBefore) return 'VERB';
  if (canBeAdjective && modifies) return 'ADJ';
  return isInflected ? 'NOUN' : undefined;
}

/** At the start of a clause: an imperative ("Close the door."), an adjective ("Live music") or a noun. */
function tagAtStart(
  context: Neighbourhood & { readonly modifies: boolean; readonly canBeAdjective: boolean },
): Tag | undefined {
  const { next } = context;
  if (next === undefined) return undefined;
  if (startsObject(next) || next === 'to' || next === 'with' || next === 'in') {
    return context.canBeAdjective && next === 'to' ? 'ADJ' : 'VERB';
  }
  if (next === 'of' || BE.has(next)) return 'NOUN';
  if (context.canBeAdjective && context.modifies) return 'ADJ';
  return context.modifies ? 'NOUN' : undefined;
}

/** "that" is stressed as a demonstrative ("that book", "of that"), not as a conjunction ("said that he"). */
function tagOfThat({ previous, next }: Neighbourhood): Tag | undefined {
  if (next === undefined) return 'DT';
  if (SUBJECTS.has(next) || isDetermining(next) || next === 'there') return undefined;
  if (previous === undefined || PREPOSITIONS.has(previous)) return 'DT';
  if (['like', 'do', 'did', 'than', 'all', 'is', 'was', 'at'].includes(previous)) return 'DT';
  return undefined;
}

const STATES = set('look looks looked sound sounds sounded stay stays stayed keep kept feeling and');

/** "content" is an adjective after verbs of being and before "with" and "to", else a noun. */
function tagOfContent({ previous, next }: Neighbourhood): Tag {
  if (next === 'with' || next === 'to') return 'ADJ';
  if (previous === undefined) return 'NOUN';
  const isState = BE.has(previous) || DEGREES.has(previous) || STATES.has(previous);
  return isState && next !== 'of' ? 'ADJ' : 'NOUN';
}

/** "used" ends in a t in "used to go" and "is used to it", but not in "is used to make". */
function tagOfUsed({ previous, beforePrevious, next, afterNext }: Neighbourhood): Tag | undefined {
  if (next !== 'to') return undefined;
  const isPassive = previous !== undefined && BE.has(previous);
  if (!isPassive) return 'VBD';
  // People are accustomed to something; things are used to do something.
  if (PERSONS.has(beforePrevious ?? '') || CONTRACTED_PERSONS.has(previous)) return 'VBD';
  const isAccustomed = afterNext === undefined || afterNext.endsWith('ing') || startsObject(afterNext);
  return isAccustomed ? 'VBD' : undefined;
}

/** "read" rhymes with "red" in the past. */
function tagOfRead(words: readonly SpokenWord[], index: number, context: Neighbourhood): Tag {
  const { previous, beforePrevious } = context;
  if (previous === undefined || previous === 'to' || MODALS.has(previous)) return 'VERB';
  if (previous.endsWith("n't")) return HAVE.has(previous) || BE.has(previous) ? 'VBN' : 'VERB';
  if (HAVE.has(previous) || BE.has(previous)) return 'VBN';
  // "Did you read it?", "Let her read."
  if (beforePrevious !== undefined && MODALS.has(beforePrevious)) return 'VERB';
  if (wordsBefore(words, index, AUXILIARY_REACH).some((word) => ASKING.has(word))) return 'VERB';
  if (beforePrevious !== undefined && HAVE.has(beforePrevious)) return 'VBN';
  if (isDetermining(previous) || PREPOSITIONS.has(previous)) return 'NOUN';
  // The present of a singular subject is "reads".
  if (isSingularSubject(previous)) return 'VBD';
  const others = words.map((word) => lower(word)!);
  if (others.some((word) => HABIT_MARKERS.has(word))) return 'VERB';
  const isPast = others.some((word) => PAST_MARKERS.has(word) || /[^e]ed$/.test(word));
  if (isPast || previous === 'he' || previous === 'she' || previous === 'i' || previous === 'it')
    return 'VBD';
  if (previous === 'you' || previous === 'we' || previous === 'they' || PLURALS.has(previous)) return 'VERB';
  return /[^s]s$/.test(previous) || previous === 'and' ? 'VERB' : 'VBD';
}

/** Words between an auxiliary and its verb: "Did your younger brother read it?" */
const AUXILIARY_REACH = 4;
const ASKING = set(
  'do does did will would can could should may might must let make made hear heard watch watched',
);

/** The words before an index up to a pause, nearest first. */
function wordsBefore(words: readonly SpokenWord[], index: number, count: number): string[] {
  const found: string[] = [];
  for (let at = index - 1; at >= 0 && found.length < count; at--) {
    if (isPause(words[at]!.after) || isPause(words[at + 1]!.before)) break;
    found.push(lower(words[at])!);
  }
  return found;
}

function isSingularSubject(word: string): boolean {
  if (['he', 'she', 'it', 'everyone', 'everybody', 'nobody', 'someone', 'somebody'].includes(word))
    return true;
  if (isFunctionWord(word) || PLURALS.has(word) || DETERMINERS.has(word)) return false;
  return !word.endsWith('s') || word.endsWith('ss');
}
