/** Sentences measured with and without each cue. A break is inserted in the middle, other cues at the start. */
export const MEASURED_SENTENCES = [
  'The kettle had just begun to whistle when the lights went out.',
  'Our neighbors are painting their fence a cheerful shade of yellow.',
  'She folded the letter twice and slid it under the door.',
  'Nobody expected the smallest boat to finish first.',
  'He promised to return the hammer before the weekend.',
  'We walked along the river until the sun went down behind the hills.',
  'The old clock in the hall has not been right for years.',
  'Please bring the big green umbrella because it may rain tonight.',
  'Every morning she feeds the birds in the garden behind the house.',
  'They found the missing key under a pile of winter clothes.',
] as const;

/** Sentences that are only transcribed; ten sentences have too few words for a word error rate. */
export const TRANSCRIBED_SENTENCES = [
  'The bakery on the corner sells bread until seven in the evening.',
  'My brother keeps his bicycle in the kitchen during the winter.',
  'There is a small lake behind the school where children swim.',
  'You can leave the boxes next to the stairs for now.',
  'The doctor asked me to come back in about three weeks.',
  'Most of the apples had fallen from the tree before October.',
  'I would like to sit near the window if that is possible.',
  'The train to the coast leaves from the second platform.',
  'Her grandmother still writes long letters to friends in Canada.',
  'Turn left at the church and follow the road up the hill.',
  'The museum was closed because the workers were cleaning the floor.',
  'We need two cups of flour and a little bit of butter.',
  'The teacher told a story about a fox and a clever farmer.',
  'Someone had left a wet coat on the back of the chair.',
  'It took them almost a year to build the wooden bridge.',
  'The music from the party kept the whole street awake.',
  'He looked at the map for a long time and shook his head.',
  'The soup needs more salt and perhaps a spoon of vinegar.',
  'A strong wind pushed the empty boat away from the shore.',
  'They stopped at a farm to buy eggs and fresh milk.',
] as const;
