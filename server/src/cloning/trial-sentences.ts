/**
 * What a voice is tried with. Plain words, so that they need no reading, with the sounds of English in about
 * their usual shares. The first ones are enough to see whether a voice came out as expected.
 */
export const TRIAL_SENTENCES = [
  'The early train was late again, so we walked along the river until the rain began.',
  'She keeps a small garden behind the house, where her children found a nest of young birds.',
  'Would you mind showing me the shortest way to the market?',
  'My brother thinks that good bread takes patience, warm hands and a very hot oven.',
  'They measured the old bridge twice before anybody dared to cross it.',
  'On clear evenings you could hear voices and music from across the valley.',
] as const;

/** How many of them a first trial takes. */
export const FIRST_TRIAL_SENTENCES = 2;
