// Texts for check-phrasing.mjs.

export const VOICES = ['af_heart', 'am_michael', 'bf_emma', 'bm_george', 'af_bella', 'am_adam', 'am_puck'];

export const VITS_VOICES = ['libritts-587', 'libritts-745', 'libritts-363', 'libritts-230'];

/** "|" is the place of the insertion. The words beside it end and begin without a closure. */
export const BREAK_TEXTS = [
  'Well. I am here with you.| She left an hour ago.',
  'I wanted to show you| something from home.',
  'We know. Everyone has gone away.| Now we are alone.',
  'Maybe. The road was narrow.| Many of them were afraid.',
  'You should know| that I never saw her again.',
];

const cue = (name) => ({ written: (text) => text.replace('|', ` (${name})`), isSsml: false });
/** A change of the delivery without an inserted pause; only between sentences. */
const emotion = (name) => ({ ...cue(name), isBetweenSentences: true });
const ssmlBreak = (attributes) => ({
  written: (text) => `<speak>${text.replace('|', `<break ${attributes}/>`)}</speak>`,
  isSsml: true,
});

/** Cues and markup that insert a pause or change the delivery at one. */
export const BREAKS = [
  ...['short pause', 'break', 'pause', 'long-break', 'long pause'].map(cue),
  ...['break) (sad', 'angry) (pause', 'short pause) (whispering'].map(cue),
  ...['excited', 'sad', 'whispering', 'shouting'].map(emotion),
  ...['time="400ms"', 'time="1s"', 'strength="strong"', 'strength="x-strong"'].map(ssmlBreak),
];

const OPENING =
  'The old teacher walked slowly along the shore and looked at the grey water for a long while.';

/**
 * The first sentence is a piece of its own; the rest is one piece or two, by `chunk_length`. None of these texts is in
 * voice-texts.mjs, from which the values of the pauses come.
 */
export const PAUSE_TEXTS = {
  'full stop': [
    `${OPENING} The baker had already sold the last loaf of bread. Three people were still waiting outside the shop.`,
    `${OPENING} Our neighbour is learning to play the violin at night. Even his own dog has moved to the far end of the house.`,
    `${OPENING} Snow had covered every sign along the mountain road. The driver turned the engine off and began to wait.`,
    `${OPENING} A young doctor ran into the room with wet shoes. Her colleague was already holding the patient's hand.`,
    `${OPENING} The second train was late by almost an hour. Most of the passengers had fallen asleep in their seats.`,
    `${OPENING} Somebody left a blue umbrella under the kitchen table. It has been standing there since the end of April.`,
    `${OPENING} He counted the coins twice and shook his head. Then he asked whether he could pay for it tomorrow.`,
    `${OPENING} The company will move to a larger building next year. Nearly all of the employees are looking forward to it.`,
    `${OPENING} Wolves have returned to the forest north of the lake. Farmers are worried about their sheep and their fences.`,
    `${OPENING} You should water the plants before you leave. Please close the window in the small bathroom as well.`,
  ],
  comma: [
    `${OPENING} Since the baker had already sold the last loaf of bread to us, three people were still waiting outside of the shop.`,
    `${OPENING} While our neighbour is learning to play the violin every night, his dog has moved to the far end of the house.`,
    `${OPENING} As snow had covered nearly every sign along the mountain road, the driver turned the engine off and waited.`,
    `${OPENING} After the young doctor had run into the room with wet shoes, her colleague was holding the patient by the hand.`,
    `${OPENING} Though the second train from the north was late by an hour, most of the passengers had fallen asleep on board.`,
    `${OPENING} If somebody left a blue umbrella under the kitchen table again, it will be standing there until the summer.`,
    `${OPENING} Before he counted the coins on the counter a second time, he had asked whether he could pay for it tomorrow.`,
    `${OPENING} Unless the company moves to a much larger building next year, nearly all of the employees will look for work.`,
    `${OPENING} Now that wolves have returned to the forest north of the lake, farmers are worried about their sheep and dogs.`,
    `${OPENING} Whenever you water all the plants in the rooms upstairs, please close the window in the small bathroom as well.`,
  ],
};

export const PASSAGES = [
  [
    'The river was higher than we had ever seen it in the spring.',
    'Nobody wanted to go near the old wooden bridge behind the mill.',
    'My grandmother kept every letter in a small box under her bed.',
    'She never showed them to anyone in the family while she was alive.',
  ],
  [
    'The museum opens at nine in the morning on every day of the week.',
    'Visitors should leave their bags and their umbrellas in the hall.',
    'Would you like to see the new garden before the others arrive?',
    'We have been looking forward to this evening for a very long time.',
  ],
  [
    'Somebody left a blue umbrella under the table in the kitchen.',
    'It has been standing there since the last weekend of April.',
    'A young doctor ran into the room with wet shoes and a smile.',
    'Most of the passengers had fallen asleep before the train stopped.',
  ],
  [
    'The company will move to a much larger building next summer.',
    'Wolves have returned to the quiet forest north of the lake.',
    'Could you water the plants upstairs before you leave tomorrow?',
    'He counted all of the coins twice and slowly shook his head.',
  ],
];
