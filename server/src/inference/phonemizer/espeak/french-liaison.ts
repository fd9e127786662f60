import type { SpokenWord } from '../../../text/piece.ts';

/** Adjectives for which espeak-ng always applies liaison. */
const LINKING_ADJECTIVES = new Set('prochain certain grand gros premier dernier'.split(' '));
/** Words that can follow an adjective but are not its noun. */
const NO_NOUN = new Set('a à ai au aux avec avait avant après en es est était et ont ou où'.split(' '));

/**
 * Whether liaison between two French words is wrong although espeak-ng would apply it: an adjective has liaison with
 * its noun ("le prochain arrêt"), not with the next phrase ("mardi prochain à midi").
 */
export function blocksLiaison(word: SpokenWord, next: SpokenWord): boolean {
  return LINKING_ADJECTIVES.has(word.text.toLowerCase()) && NO_NOUN.has(next.text.toLowerCase());
}
