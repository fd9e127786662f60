/** Texts of the benchmark: prose with a few names and numbers. */

const SHORT = 'The last ferry leaves at nine, and nobody waits for the fog.';

const MEDIUM = [
  'Every harbour keeps its own time, and ours was kept by a bell that the baker rang at dawn.',
  'Fishermen set out before the second stroke, and the children counted eleven more on the way to school.',
  'When the bell cracked in the winter of 1962, people were late for weeks, though all of them owned a watch.',
] as const;

const LONG = [
  'My grandmother kept bees on the roof of a house in the middle of the city, six floors above a tram stop.',
  'She said that bees were better neighbours than most people, since they worked hard and never borrowed sugar.',
  'In May, when the lime trees along the avenue came into flower, the whole stairwell smelled of warm wax.',
  'The tenants complained only once, after a swarm had settled on the letter box and the postman refused to come near it.',
  'She went down in her slippers, talked to the bees for a while, and carried them back upstairs in a hat box.',
  'From then on every family received a jar at Christmas, with a label that she had written by hand.',
  'I spent my summers there, and I learned to move slowly, to breathe through my nose, and to read the weather from the way they flew.',
  'If they came home early, it would rain before supper; if they lingered on the railing, the evening would be dry.',
  'She wrote everything down in a blue notebook: the first flight, the last frost, the weight of each frame, and what she paid for glass.',
  'Years later I found the notebook in a drawer, and a scientist from the university asked to borrow it for a week.',
  'He kept it for a year, because nobody else in town had measured the spring so patiently for 41 years in a row.',
  'The trees, it turned out, were flowering 12 days earlier than when she began, and she had noticed it long before anyone thought to look.',
  'There is a little sign on the house now, and on the roof, behind the new water tank, somebody is keeping bees again.',
] as const;

/** The texts by their exact length in characters. */
export const TEXTS = { 60: SHORT, 300: MEDIUM.join(' '), 1500: LONG.join(' ') } as const;

/** A text of about 1,500 characters with a different first sentence for each listener. */
export function longTextFor(listener: number): string {
  const from = listener % LONG.length;
  return [...LONG.slice(from), ...LONG.slice(0, from)].join(' ');
}

/** A text of about 300 characters with a different first sentence for each listener. */
export function mediumTextFor(listener: number): string {
  const from = listener % MEDIUM.length;
  return [...MEDIUM.slice(from), ...MEDIUM.slice(0, from)].join(' ');
}

/** A short sentence, selected by number. */
export function sentenceFor(number: number): string {
  return SENTENCES[number % SENTENCES.length]!;
}

const SENTENCES = [
  'The kettle is on the stove.',
  'Somebody left the gate open.',
  'Your train leaves from platform four.',
  'It rained all night in the hills.',
  'Please close the window before you go.',
  'The letters came on Tuesday morning.',
  'We walked home along the river.',
] as const;

/** Sentences without digits, which a transcript may write in another way. */
export const PEER_SENTENCES: readonly string[] = [SHORT, ...MEDIUM, ...LONG, ...SENTENCES].filter(
  (sentence) => !/\d/.test(sentence),
);

const PASSAGES = 10;
const PASSAGE_SENTENCES = 4;

/** Passages of four sentences. */
export const PEER_PASSAGES: readonly string[] = Array.from({ length: PASSAGES }, (_, index) => {
  const sentences = LONG.filter((sentence) => !/\d/.test(sentence));
  return Array.from(
    { length: PASSAGE_SENTENCES },
    (__, offset) => sentences[(index + offset) % sentences.length],
  ).join(' ');
});
