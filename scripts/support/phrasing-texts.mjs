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
 * The first sentence is a piece of its own; the rest is one piece or two, by `chunk_length`. No value of the pauses comes
 * from these texts.
 */
export const PAUSE_TEXTS = {
  'full stop': [
    `${OPENING} The baker at the corner opens long before the sun is up. His first customers are always the drivers of the night buses.`,
    `${OPENING} We found an old map between the pages of a cookbook. Someone had marked a small island with a red cross.`,
    `${OPENING} The museum has bought a painting that nobody wanted to see. It now hangs in the darkest corner of the cellar.`,
    `${OPENING} Her bicycle was stolen twice in a single month. She locks it to the balcony of the first floor now.`,
    `${OPENING} A heavy storm tore the roof off the boathouse last night. Three canoes drifted across the lake until the morning.`,
    `${OPENING} My cousin repairs accordions in a tiny shop by the canal. Musicians from all over the country send him their instruments.`,
    `${OPENING} The committee could not agree on a date for the meeting. Everyone will receive a new list of dates on Friday.`,
    `${OPENING} The kettle began to whistle in the empty kitchen. Nobody got up to take it off the stove.`,
    `${OPENING} An owl has been living in the tower for several years. It only leaves when the bells ring at noon.`,
    `${OPENING} They missed the last ferry because of a flat tyre. The whole family slept on the benches of the waiting room.`,
    `${OPENING} The gardener planted two hundred tulips along the wall. In April the whole street came to look at them.`,
    `${OPENING} Our teacher kept a piece of chalk behind his ear. He only ever used it to point at the clock.`,
    `${OPENING} This kind of glue needs about a day to dry. Do not move the table before tomorrow afternoon.`,
    `${OPENING} The shop assistant wrapped the vase in three layers of paper. It broke anyway on the way to the car park.`,
    `${OPENING} A thin man in a grey coat asked us for the time. He wrote the answer into a little black notebook.`,
    `${OPENING} The swimming pool will be closed for repairs until the autumn. Members get half of their money back.`,
    `${OPENING} I met my oldest friend on a crowded train to the coast. We had both forgotten to buy a ticket.`,
    `${OPENING} The soup was far too salty for the children. They ate the bread and left the bowls untouched.`,
    `${OPENING} Somebody has written a phone number on the wall of the lift. I am quite sure that it used to be mine.`,
    `${OPENING} The choir practises every Tuesday in the back of the church. New voices are welcome at any time of the year.`,
  ],
  comma: [
    `${OPENING} While the baker at the corner was still asleep in his chair, the first buses of the morning were already leaving.`,
    `${OPENING} When we opened the old cookbook on the kitchen table, a map of a small island fell out between two of the pages.`,
    `${OPENING} Although the museum had paid a fortune for the painting, it hung in the darkest corner of the cellar for years.`,
    `${OPENING} Since her bicycle was stolen twice in a single month, she carries it up to the balcony of the first floor now.`,
    `${OPENING} After the storm had torn the roof off the boathouse, three canoes drifted across the lake until the next morning.`,
    `${OPENING} Because my cousin repairs accordions in a shop by the canal, musicians from everywhere send him their instruments.`,
    `${OPENING} As the committee could not agree on a date for the meeting, everyone will receive a new list of dates on Friday.`,
    `${OPENING} If the kettle begins to whistle in the empty kitchen, somebody should get up and take it off the stove at once.`,
    `${OPENING} Whenever the bells of the tower ring at noon, the owl that lives there flies over to the trees beside the river.`,
    `${OPENING} Just because they missed the last ferry to the mainland, the whole family had to sleep in the waiting room.`,
    `${OPENING} Once the gardener had planted two hundred tulips along the wall, people came from other streets to see them.`,
    `${OPENING} Before our teacher pointed at the clock with his chalk, he always took it slowly from its place behind his ear.`,
    `${OPENING} Unless you let this kind of glue dry for a whole day, the legs of the table will come off again within a week.`,
    `${OPENING} Even though the vase was wrapped in three layers of paper, it broke on the way from the shop to the car park.`,
    `${OPENING} As soon as the thin man in the grey coat knew the time, he wrote it carefully into a little black notebook.`,
    `${OPENING} Until the swimming pool has been repaired in the autumn, its members will get half of their money back each month.`,
    `${OPENING} Though I had not seen my oldest friend for twenty years, I recognised her laugh at the other end of the train.`,
    `${OPENING} So long as the soup is as salty as it was last night, the children will only eat the bread and leave the bowls.`,
    `${OPENING} Now that somebody has painted the inside of the lift, the phone number on its wall can no longer be read by us.`,
    `${OPENING} Where the choir used to practise on a Tuesday evening, there is now a shop that sells carpets and large lamps.`,
  ],
};

/** The sentences of a passage are pieces: no two of them have 100 letters together. */
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
  [
    'The last bus had already left when we came out of the theatre.',
    'My brother took off his coat and gave it to the old lady.',
    'There was not a single taxi in any of the streets near the station.',
    'So the three of us walked home along the frozen canal in silence.',
  ],
  [
    'A good kitchen knife should be washed by hand and dried at once.',
    'How often do you think a professional cook sharpens the blade?',
    'Most people are surprised to hear that it happens every single morning.',
    'It takes only two minutes and makes the rest of the day much easier.',
  ],
  [
    'Last winter the town decided to close its only public swimming pool.',
    'Hundreds of families signed a letter and brought it to the mayor.',
    'He promised to look for the money before the beginning of the holidays.',
    'Nobody believed him until the workers arrived with their new pumps!',
  ],
  [
    'Bees can recognise human faces and remember them for several days.',
    'Researchers in Cambridge trained them with pictures and sugar water.',
    'What exactly the insects see in a photograph is still an open question.',
    'Their brain is smaller than a grain of rice and weighs almost nothing.',
  ],
  [
    'Please turn left at the next crossing and follow the signs to the port.',
    'You will pass a yellow church with a very unusual wooden roof.',
    'The ticket office is on the ground floor of the building behind it.',
    'Ferries to the islands leave every forty minutes until ten at night.',
  ],
  [
    'I never understood why my father kept so many broken radios.',
    'They stood in long rows on the shelves of his dusty workshop.',
    'One evening he switched all of them on at exactly the same moment.',
    'The whole house was full of music from a dozen different countries!',
  ],
  [
    'The committee has read your report and would like to ask some questions.',
    'Did you measure the temperature of the water before the experiment began?',
    'Two of the figures on page nine do not agree with those in the table.',
    'We suggest that you repeat the second part under better conditions.',
  ],
  [
    'Volcanoes under the ice of the south are difficult to observe.',
    'Scientists listen to their movements with microphones in deep holes.',
    'A small earthquake in March was the first warning after sixty years.',
    'Since then the glacier above has become thinner by more than a metre.',
  ],
  [
    'Our daughter wants to be a pilot or the owner of a chocolate shop.',
    'She explained her plan to the neighbours during the summer party.',
    'Everyone agreed that she should simply do both of these things.',
    'Why would anybody choose between flying and unlimited chocolate?',
  ],
  [
    'The price of coffee rose again after heavy rain in the mountains.',
    'Small farmers lost up to half of their harvest within one week.',
    'Large companies had bought enough beans in the previous autumn.',
    'Customers will probably notice the difference only after Christmas.',
  ],
  [
    'Be careful with the third step because the wood is rather weak.',
    'The previous owner always meant to repair it but never found the time.',
    'You get the best view from the little window at the top of the stairs.',
    'On clear days it is possible to see the mountains behind the bay.',
  ],
  [
    'He opened the envelope with shaking hands and read the first line.',
    'Somebody had written the message in green ink on very thin paper.',
    'It said that the painting in the hall had been stolen years ago.',
    'The one that hung there now was nothing but a clever copy.',
  ],
  [
    'The captain asked everyone to stay in the cabin until the morning.',
    'Waves as high as houses were rolling over the deck of the ship.',
    'A box of oranges had broken loose and was sliding back and forth.',
    'Nobody slept except the cook and his enormous orange cat.',
  ],
  [
    'Press the round button twice and wait for the green light.',
    'The machine will then ask you for the date and the time.',
    'Which language would you like to use for the other menus?',
    'You can change all of these settings again at any moment.',
  ],
  [
    'Our village has had no shop since the baker moved to the coast.',
    'People drive to the city once a week or order on the internet.',
    'The library bus comes on Tuesdays and brings more than just books!',
    'It is the only place where everybody still meets everybody else.',
  ],
  [
    'They discovered the tunnel behind a wall of loose bricks.',
    'It led under the garden to the ruins of a much older house.',
    'On the floor lay a single shoe and a newspaper from the war.',
    'Who had been hiding down there and for how many years?',
  ],
  [
    'The bakery on the corner sells out before eight every Saturday.',
    'People wait in the cold with their dogs and their newspapers.',
    'Nobody complains because the smell alone is worth the visit.',
    'Have you ever tasted the dark rolls with walnuts and honey?',
  ],
  [
    'Our plane circled over the city for more than half an hour.',
    'Thick fog had covered both runways since the early morning.',
    'The pilot told us a joke that only the children laughed at.',
    'When we finally landed everybody clapped and reached for a phone!',
  ],
  [
    'Deep under the desert there is a lake that nobody has ever seen.',
    'Its water fell as rain when mammoths still walked the earth.',
    'Farmers have drilled hundreds of wells and the level is sinking.',
    'How long will it last if nothing changes in the next years?',
  ],
  [
    'The tailor measured my shoulders twice and shook his head.',
    'A jacket like this had been made for somebody much taller.',
    'He marked both of the sleeves with chalk and a dozen pins.',
    'It will be ready on Thursday if nothing else goes wrong.',
  ],
  [
    'The committee will meet again on the first Monday in June.',
    'Please send your questions to the office before the end of May.',
    'Every member may speak for three minutes and no longer.',
    'Last year one man talked about parking for almost an hour.',
  ],
  [
    'A fox crossed the empty road and vanished behind the church.',
    'The night nurse saw it from the window on her way upstairs.',
    'What a beautiful animal it was with that thick white tail!',
    'She thought about it for the rest of her quiet shift.',
  ],
];
