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

/** The first sentence is a piece of its own; the rest is one piece or two, by `chunk_length`. */
export const PAUSE_TEXTS = {
  'full stop': [
    `${OPENING} The river was higher than we had ever seen it. Nobody wanted to go near the old wooden bridge.`,
    `${OPENING} My grandmother kept every letter in a small box. She never showed them to anyone in the family.`,
    `${OPENING} The museum opens at nine in the morning every day. Visitors should leave their bags in the hall.`,
    `${OPENING} We can look for another room in the old town. The owner has promised to call us in the evening.`,
  ],
  comma: [
    `${OPENING} When the river rose above the wall behind the old mill, nobody in the village wanted to go home again.`,
    `${OPENING} Although my grandmother kept every letter in a small box, she never showed them to anyone in the family.`,
    `${OPENING} Because the museum opens at nine in the morning every day, visitors should leave their bags in the hall.`,
    `${OPENING} If we can look for another room in the old town this year, the owner will call us again in the evening.`,
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
];
