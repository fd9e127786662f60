import type { Tag } from '../english-context.ts';

/** A pronunciation of a heteronym: that of a homophone, or of the word itself as a part of speech. */
export interface HeteronymSense {
  /** A homophone in the dictionary; absent: the word itself. */
  readonly as?: string;
  readonly tag?: Tag;
}

/** Heteronyms whose senses are not distinguished by noun and verb. The model's score is positive for the second one. */
export const HETERONYM_SENSES: ReadonlyMap<string, readonly [HeteronymSense, HeteronymSense]> = new Map(
  Object.entries({
    aged: [{ as: 'agedd' }, { tag: 'VERB' }],
    axes: [{ tag: 'NOUN' }, { tag: 'VERB' }],
    bass: [{ as: 'basse' }, { as: 'base' }],
    bow: [{ as: 'bough' }, { as: 'beau' }],
    lead: [{ as: 'led' }, { tag: 'VERB' }],
    minute: [{ tag: 'ADJ' }, { tag: 'NOUN' }],
    pasty: [{ tag: 'ADJ' }, { tag: 'NOUN' }],
    polish: [{ as: 'Polish' }, { as: 'polish' }],
    reading: [{ as: 'redding' }, { tag: 'VERB' }],
    sake: [{ as: 'sakeh' }, { tag: 'NOUN' }],
    tear: [{ as: 'tier' }, { as: 'tare' }],
    wound: [{ tag: 'VBD' }, { tag: 'NOUN' }],
  } satisfies Record<string, readonly [HeteronymSense, HeteronymSense]>),
);
