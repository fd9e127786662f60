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
    `${OPENING} My aunt used to grow tomatoes on the roof of her garage. The neighbours could smell them from the other side of the street.`,
    `${OPENING} Nobody had told the pianist about the broken pedal. She noticed it during the first bars and smiled.`,
    `${OPENING} The lift stopped between the fourth and the fifth floor. It was completely dark for a minute or two.`,
    `${OPENING} A letter with a foreign stamp was lying on the doormat. It had been on its way to us for almost eleven weeks.`,
    `${OPENING} The referee looked at his watch and blew the whistle. Half of the audience ran onto the field with flags and drums.`,
    `${OPENING} Our guide pointed at a cave high above the river. Two brothers had lived in it during the war.`,
    `${OPENING} Every evening the old sailor feeds the gulls on the pier. They know him and follow him to the gate of the harbour.`,
    `${OPENING} The printer on the second floor is out of paper again. Somebody should really write a note about it.`,
    `${OPENING} They painted the walls of the nursery yellow and green. The ceiling got hundreds of tiny silver stars.`,
    `${OPENING} Her first novel was refused by nineteen publishers. The twentieth printed it without changing a single word.`,
    `${OPENING} The bridge is closed to lorries until the end of May. Drivers have to take the longer road through the valley.`,
    `${OPENING} He carried the sleeping child up the stairs in the dark. A floorboard creaked but she did not wake up.`,
    `${OPENING} Fresh bread keeps longer in a wooden box than in plastic. You can also freeze it in slices for the next week.`,
    `${OPENING} The orchestra will play in the open air if it does not rain. Bring a blanket and something warm to drink.`,
    `${OPENING} Five students stayed in the library until midnight. They were preparing for the same difficult exam.`,
    `${OPENING} The farmer sold his last cow in the spring. Now there is only a goat and a very old horse.`,
    `${OPENING} I had never seen a rainbow at night before. The moon was full and the mist was rising from the waterfall.`,
    `${OPENING} She speaks four languages and writes poems in a fifth one. Her grandmother taught her all of them at the kitchen table.`,
    `${OPENING} The new tram line runs from the airport to the university. A journey takes twenty minutes at most.`,
    `${OPENING} There was a strange noise behind the bookshelf. We moved it carefully and found a tiny grey kitten.`,
  ],
  comma: [
    `${OPENING} When my aunt still grew tomatoes on the roof of her garage, the whole street could smell them in the summer.`,
    `${OPENING} As nobody had told the pianist about the broken pedal, she noticed it only during the first bars of the concert.`,
    `${OPENING} After the lift had stopped between the fourth and fifth floor, it was completely dark for a minute or two.`,
    `${OPENING} If a letter with a foreign stamp is lying on the doormat, it must have been on its way to us for weeks.`,
    `${OPENING} Before the referee had put the whistle back into his pocket, half of the audience was already on the field.`,
    `${OPENING} While our guide was pointing at a cave above the river, we saw two climbers on the steep white wall beside it.`,
    `${OPENING} Although the old sailor feeds the gulls only in the evening, they wait for him on the pier all day long.`,
    `${OPENING} Because the printer on the second floor is out of paper again, the report will not be ready before noon.`,
    `${OPENING} Once they had painted the walls of the nursery yellow and green, the ceiling suddenly looked rather dull.`,
    `${OPENING} Though her first novel was refused by nineteen publishers, the twentieth printed it without a single change.`,
    `${OPENING} Since the bridge is closed to lorries until the end of the month, drivers have to take the valley road.`,
    `${OPENING} Even if you carry the sleeping child up the stairs in your socks, that one floorboard will creak again.`,
    `${OPENING} Unless fresh bread is kept in a wooden box or a linen bag, it will be as hard as a stone within two or three days.`,
    `${OPENING} Whenever the orchestra plays in the open air in the park, people bring blankets and something warm to drink.`,
    `${OPENING} Just as the five students were leaving the library that night, the fire alarm went off in the basement.`,
    `${OPENING} Now that the farmer has sold his very last cow, there is only a goat and an old horse left on the hill behind us.`,
    `${OPENING} Where the mist was rising from the waterfall that evening, we saw a pale rainbow in the light of the moon.`,
    `${OPENING} Wherever she travelled with her grandmother as a child, she learned a few words of the language from the cooks.`,
    `${OPENING} Until the new tram line to the airport is finished next year, travellers will have to change to a bus twice.`,
    `${OPENING} So that nobody would hear the strange noise behind the bookshelf, they turned the radio up very loud.`,
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
