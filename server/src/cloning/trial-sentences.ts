/**
 * What a voice is tried with. Plain words, so that they need no reading, with the sounds of English in about
 * their usual shares. The engine says some sentences higher than others, by up to 15 %, and each speaker differently;
 * these were chosen from 35 so that the median pitch over the first ones, and over all of them, is that of a longer talk:
 * for speakers that had no part in choosing within 1.3 % (the first ones) and 0.6 % (all). Any others would be 3 to 4 % off.
 */
export const TRIAL_SENTENCES = [
  'I would rather have a cup of tea than another glass of wine.',
  'My sister moved to the coast three years ago.',
  'It takes about an hour to walk around the lake.',
  'Two boys were throwing stones at a tin on the wall.',
  'They had been friends since the day they met on the boat.',
  'The rain stopped before noon, and the streets were dry again by one.',
  'What happened to the picture that used to hang above the fire?',
  'When the music ended, everyone stood up and began to clap.',
] as const;

/** How many of them are enough to see whether a voice came out as expected. */
export const FIRST_TRIAL_SENTENCES = 4;
