import type { SpokenWord } from '../../../text/piece.ts';

/** Adjectives that espeak links to whatever follows. */
const LINKING_ADJECTIVES = new Set('prochain certain grand gros premier dernier'.split(' '));
/** What may follow an adjective that stands behind its noun or alone. */
const NO_NOUN = new Set('a à ai au aux avec avait avant après en es est était et ont ou où'.split(' '));

/**
 * Whether two French words are said apart although espeak would link them: an adjective is linked to its own
 * noun ("le prochain arrêt"), not to a new part of the sentence ("mardi prochain à midi" is no "prochaine").
 */
export function isUnlinked(word: SpokenWord, next: SpokenWord): boolean {
  return LINKING_ADJECTIVES.has(word.text.toLowerCase()) && NO_NOUN.has(next.text.toLowerCase());
}
