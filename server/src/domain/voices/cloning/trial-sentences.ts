/**
 * Sentences of trials: plain words that need no normalization, with about the usual phoneme frequencies of English. Pitch
 * varies between sentences by up to 15 %. These were chosen from 35 so that the median pitch over the first ones and over
 * all is that of a longer text: within 1.3 % and 0.6 % for held-out speakers, against 3 to 4 % for other sentences.
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

/** Number of sentences of a first trial. */
export const FIRST_TRIAL_SENTENCES = 4;

/** Additional sentences for a precise measurement of the pitch. */
export const PITCH_SENTENCES = [
  'He has never been known to forget a name or a face.',
  'The path goes through a wood and then along a field of barley.',
  'My brother thinks that good bread takes patience, warm hands and a very hot oven.',
  'Our train was late because a tree had fallen across the line.',
  'After the storm the beach was covered with wood and weed.',
  'In the end they sold the farm and moved to a flat in the city.',
  'He opened the window, looked at the sky and decided to stay at home.',
  'You can leave the keys under the stone next to the door.',
] as const;
