/**
 * What a voice is tried with. Plain words, so that they need no reading, with the sounds of English in about
 * their usual shares. The engine says some sentences higher than others; the median pitch over the first ones, and
 * over all of them, is that of a longer talk (within 1 %, ten speakers, twenty sentences).
 */
export const TRIAL_SENTENCES = [
  'Good bread takes patience and a very hot oven.',
  'We measured the bridge twice before crossing it.',
  'My sister moved to the coast three years ago.',
  'The children found a nest of young birds.',
  'She keeps a small garden behind the house, where her children found a nest of young birds.',
  'Would you mind showing me the shortest way to the market?',
  'My brother thinks that good bread takes patience, warm hands and a very hot oven.',
  'They measured the old bridge twice before anybody dared to cross it.',
] as const;

/** How many of them are enough to see whether a voice came out as expected. */
export const FIRST_TRIAL_SENTENCES = 4;
