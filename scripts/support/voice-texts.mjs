// Texts for measure-voices.mjs. check-phrasing.mjs has others.

const ENGLISH = [
  'The baker opens the shop at half past six in the morning.',
  'Could you tell me where the next bus to the airport leaves?',
  'My sister lives near the harbour with two sons and an old dog.',
  'We bought apples and lemons and a bag of sugar on the way home.',
  'The children played in the square until it was almost dark.',
  'I have never understood why he sold that beautiful house.',
];

/** Loudness is the mean over the texts of the voice's language. */
export const LOUDNESS_TEXTS = {
  'en-US': ENGLISH,
  'en-GB': ENGLISH,
  es: [
    'El panadero abre la tienda a las seis y media de la mañana.',
    '¿Me puedes decir dónde está la estación de autobuses?',
    'Mi hermana vive cerca del puerto con sus dos hijos y un perro viejo.',
    'Los niños jugaron en la plaza hasta que se hizo de noche.',
  ],
  fr: [
    'Le boulanger ouvre sa boutique à six heures et demie du matin.',
    "Est-ce que vous pourriez m'indiquer le chemin de la gare ?",
    'Ma sœur habite près du port avec ses deux fils et un vieux chien.',
    "Les enfants ont joué sur la place jusqu'à la tombée de la nuit.",
  ],
  hi: [
    'आज सुबह से हल्की बारिश हो रही है।',
    'क्या आप मुझे बता सकते हैं कि स्टेशन कहाँ है?',
    'मेरी बहन अपने दो बेटों के साथ नदी के पास रहती है।',
    'बच्चे अँधेरा होने तक मैदान में खेलते रहे।',
  ],
  it: [
    'Il fornaio apre il negozio alle sei e mezza del mattino.',
    'Mi puoi dire dove si trova la stazione degli autobus?',
    'Mia sorella vive vicino al porto con due figli e un vecchio cane.',
    'I bambini hanno giocato in piazza finché non è diventato buio.',
  ],
  ja: [
    'パン屋は朝の六時半に店を開けます。',
    'すみません、駅までどうやって行けばいいですか。',
    '妹は二人の息子と古い犬と港の近くに住んでいます。',
    '子どもたちは暗くなるまで広場で遊びました。',
  ],
  'pt-BR': [
    'O padeiro abre a loja às seis e meia da manhã.',
    'Você pode me dizer onde fica a estação de ônibus?',
    'Minha irmã mora perto do porto com dois filhos e um cachorro velho.',
    'As crianças brincaram na praça até escurecer.',
  ],
  zh: [
    '面包师傅早上六点半开店。',
    '请问去火车站应该怎么走？',
    '我妹妹和两个儿子住在港口附近。',
    '孩子们在广场上一直玩到天黑。',
  ],
};

/** The longest pause is the one after the full stop. */
export const SENTENCE_TEXTS = [
  'The train was already waiting when we came to the station. Our seats were in the last carriage.',
  'My uncle has repaired clocks for more than thirty years. Most of them belonged to his neighbours.',
  'The garden behind the house was full of yellow roses. Nobody had looked after them for years.',
  'They walked along the river until the sun went down. Later they ate in a small restaurant.',
  'The library will be closed on Monday and on Tuesday. You can return your books at the door.',
  'She read the letter twice before she gave it to me. Then she left the room without a word.',
  'The snow had covered every road in the valley by noon. Only the doctor still drove his car.',
  'He would rather stay at home and listen to the radio. Noisy parties have always made him tired.',
];

/** The longest pause is the one after the comma. */
export const CLAUSE_TEXTS = [
  'When the train arrived at the station in the morning, our seats were taken by a family of five.',
  'Although my uncle has repaired clocks for thirty years, most of his neighbours do not know him.',
  'After the gardener had looked at all the yellow roses, he went home and returned with a spade.',
  'If the library is closed on Monday and on Tuesday, you can leave your books at the front door.',
  'Because the snow had covered every road in the valley, the doctor went to the village on foot.',
  'While she was reading the long letter from her sister, the telephone rang in the other room.',
];
