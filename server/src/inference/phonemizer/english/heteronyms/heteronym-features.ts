import type { SpokenWord } from '../../../../text/piece.ts';
import type { Tag } from '../english-context.ts';
import { classOfWord, isClosedClass, normalizeWord } from './word-classes.ts';

/** The features of a heteronym and its context, for the classifier. */
export interface HeteronymFeatures {
  /** Features whose weights all heteronyms share: the syntax around the word. */
  readonly shared: readonly string[];
  /** Features with weights of their own for each heteronym: neighbours and topic. */
  readonly own: readonly string[];
}

/** Words on each side that belong to the topic. */
const TOPIC_REACH = 12;
const STEM_LENGTH = 8;

interface Neighbour {
  readonly word: string;
  readonly class: string;
}

const isPause = (punctuation: string) => /[,;:.!?…—()]/.test(punctuation);

/** The features of the word at `index`; `tag` is the part of speech that the rules suggest. */
export function heteronymFeatures(
  words: readonly SpokenWord[],
  index: number,
  tag: Tag | undefined,
): HeteronymFeatures {
  const word = normalizeWord(words[index]!);
  const at = (offset: number) => neighbour(words, index + offset);
  const [before3, before2, after1, after2] = [at(-3), at(-2), at(1), at(2)];
  const hasPauseBefore = index > 0 && (isPause(words[index - 1]!.after) || isPause(words[index]!.before));
  const hasPauseAfter =
    index + 1 >= words.length || isPause(words[index]!.after) || isPause(words[index + 1]!.before);
  const before1 = hasPauseBefore ? afterPause(at(-1)) : at(-1);
  const next = hasPauseAfter ? { word: '|', class: '|' } : after1;
  const form = /[^s]s$/.test(word) ? 's' : '0';
  const near = [
    'bias',
    `tag ${tag ?? '-'}`,
    `w-1 ${before1.word}`,
    `w+1 ${next.word}`,
    `w-2 ${before2.word}`,
    `w+2 ${after2.word}`,
    `c-1 ${before1.class}`,
    `c+1 ${next.class}`,
    `c-1+1 ${before1.class} ${next.class}`,
  ];
  const shared = [
    ...near,
    `form ${form}`,
    `form tag ${form} ${tag ?? '-'}`,
    `c-2 ${before2.class}`,
    `c+2 ${after2.class}`,
    `c-3 ${before3.class}`,
    `end-1 ${at(-1).word.slice(-3)}`,
    `end+1 ${after1.word.slice(-3)}`,
    `c-2-1 ${before2.class} ${before1.class}`,
    `c+1+2 ${next.class} ${after2.class}`,
    `c-2-1+1 ${before2.class} ${before1.class} ${next.class}`,
    `c-1+1+2 ${before1.class} ${next.class} ${after2.class}`,
    `c-3-2-1 ${before3.class} ${before2.class} ${before1.class}`,
    `w-2-1 ${before2.word} ${before1.word}`,
    `w+1+2 ${next.word} ${after2.word}`,
    `w-1 c+1 ${before1.word} ${next.class}`,
    `c-1 w+1 ${before1.class} ${next.word}`,
    `auxiliary ${auxiliaryBefore(words, index)}`,
    `auxiliary form ${auxiliaryBefore(words, index)} ${form}`,
    `form c-1 ${form} ${before1.class}`,
    `form c-2-1 ${form} ${before2.class} ${before1.class}`,
    `form c+1 ${form} ${next.class}`,
    `form c-1+1 ${form} ${before1.class} ${next.class}`,
  ];
  return { shared, own: [...near, ...spelling(words, index), ...topic(words, index)] };
}

/** Words between an auxiliary and its verb: "Does your older brother use it?" */
const AUXILIARY_REACH = 5;

/** The nearest auxiliary of the clause before the word, and whether it starts the clause, as in a question. */
function auxiliaryBefore(words: readonly SpokenWord[], index: number): string {
  for (let at = index - 1; at >= Math.max(0, index - AUXILIARY_REACH); at--) {
    if (isPause(words[at]!.after)) return '-';
    const name = classOfWord(words[at]!, at === 0);
    if (name !== 'do' && name !== 'modal') continue;
    const isQuestion = at === 0 || isPause(words[at - 1]!.after);
    return `${name} ${index - at === 1 ? 'next' : isQuestion ? 'question' : 'far'}`;
  }
  return '-';
}

function neighbour(words: readonly SpokenWord[], index: number): Neighbour {
  if (index < 0) return { word: '^', class: '^' };
  const word = words[index];
  if (word === undefined) return { word: '$', class: '$' };
  return { word: normalizeWord(word), class: classOfWord(word, index === 0) };
}

function afterPause(previous: Neighbour): Neighbour {
  return { word: `${previous.word}|`, class: `${previous.class}|` };
}

function spelling(words: readonly SpokenWord[], index: number): string[] {
  const { text } = words[index]!;
  const isFirst = index === 0 || /[.!?]/.test(words[index - 1]!.after);
  const isCapitalized = /^\p{Lu}/u.test(text);
  return [`capitalized ${isCapitalized}${isFirst ? ' first' : ''}`];
}

/** Stems of the words around, without function words. */
function topic(words: readonly SpokenWord[], index: number): Set<string> {
  const stems = new Set<string>();
  for (const [offset, word] of words
    .slice(Math.max(0, index - TOPIC_REACH), index + TOPIC_REACH + 1)
    .entries()) {
    if (offset === Math.min(index, TOPIC_REACH)) continue;
    const lower = normalizeWord(word);
    if (lower.length > 2 && !isClosedClass(lower)) stems.add(`topic ${stemOf(lower)}`);
  }
  return stems;
}

function stemOf(word: string): string {
  return word.replace(/(?:'s|ies|es|s|ed|ing|er|ers)$/, '').slice(0, STEM_LENGTH);
}
