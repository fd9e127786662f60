// Trains server/assets/phonemes/english-heteronyms.tsv.br, the weights of the heteronym model.  (after `npm run build`)
//   node training/heteronyms/train.mjs FOLDER
// FOLDER holds the directories train and eval of https://github.com/google-research-datasets/WikipediaHomographData
// (data/, Apache-2.0): sentences of Wikipedia with the sense of one word each. sentences.txt beside this file and the
// templates below add everyday style. The directory eval is used only to report the proportion of correct senses.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { guessTag } from '../../server/dist/src/inference/phonemizer/english/english-context.js';
import { heteronymFeatures } from '../../server/dist/src/inference/phonemizer/english/heteronyms/heteronym-features.js';
import { HETERONYM_SENSES } from '../../server/dist/src/inference/phonemizer/english/heteronyms/heteronym-senses.js';
import { textToWords } from '../text-front-end.mjs';

const EPOCHS = 10;
const RATE = 0.25;
const DECAY = 3e-5;
/** Features in fewer examples (everyday ones counted by their weight) are not used. */
const EXAMPLES_MIN = 3;
const WEIGHT_MIN = 0.03;
/** Examples of sentences.txt and the templates count as often as this. */
const EVERYDAY_WEIGHT = 3;

/** Names of verb senses without the ending `_vrb`. */
const VERBS = new Set(`affect compress isolate sow transform correlate_nou-vrb intrigue_nou-vrb`.split(' '));
/** Words that the model does not decide, or whose labels mean something else. */
const LEFT_OUT = new Set(
  `august bologna celtic content invalid jesus job mate mobile nestle ravel read rodeo row upset`.split(' '),
);
/** The label of the second sense in heteronym-senses.ts. */
const SECOND_SENSES = {
  ...{
    aged: 'aged',
    axes: 'axes_nou-vrb',
    bass: 'bass',
    bow: 'bow_nou-knot',
  },
  ...{ lead: 'lead_nou-vrb', minute: 'minute', pasty: 'pasty_nou', polish: 'polish' },
  ...{ reading: 'reading_en', sake: 'sake', tear: 'tear_vrb', wound: 'wound_nou-vrb' },
};
const TEMPLATES = {
  verb: [
    ...[
      'Can you * this?',
      'Please * it.',
      'Do not * the box.',
      'We * them every day.',
      'I * it.',
      'They will * soon.',
    ],
    ...[
      'I want to *.',
      'You should * more.',
      '* the file.',
      '* your bags here.',
      'Nobody can * that.',
      'Does it * well?',
    ],
    ...[
      'Would you * it for me?',
      'They * each other.',
      'The teams * with us.',
      'Who will * them?',
      "Let's * it now.",
    ],
  ],
  noun: [
    ...[
      'The * was good.',
      'Is this your *?',
      'I like the *.',
      'There is no * left.',
      'His * made her proud.',
    ],
    ...[
      'What is the * of this?',
      'We need a new *.',
      'This * is bad.',
      'It was a *.',
      'My * is here.',
      'a big * in town',
    ],
    ...[
      'That is the best * ever.',
      'She has a *.',
      'Some * was found.',
      'They talked about the *.',
      'the * on the left',
    ],
  ],
};
const TEMPLATE_WORDS = 8;

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: node train.mjs FOLDER');
  process.exit(2);
}

/** Examples of a directory of the labelled sentences. */
function readExamples(part) {
  return readdirSync(join(folder, part)).flatMap((file) =>
    readFileSync(join(folder, part, file), 'utf8')
      .split('\n')
      .slice(1)
      .filter(Boolean)
      .flatMap((line) => {
        const [word, label, text, start] = line.split('\t').map(unquote);
        if (LEFT_OUT.has(word)) return [];
        const offset = Buffer.from(text).subarray(0, Number(start)).toString().length;
        const words = textToWords(text, 'en-US');
        const index = words.findIndex((spoken) => spoken.start <= offset && offset < spoken.end);
        if (words[index]?.text.toLowerCase() !== word) return [];
        const isSecond =
          word in SECOND_SENSES ? label === SECOND_SENSES[word] : label.endsWith('_vrb') || VERBS.has(label);
        return [{ word, words, index, isSecond, weight: 1 }];
      }),
  );
}

const unquote = (field) => (field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field);

/** An example of a sentence with the word between asterisks. */
function markedExample(sentence, isSecond) {
  const words = textToWords(sentence.replaceAll('*', ''), 'en-US');
  const offset = sentence.indexOf('*');
  const index = words.findIndex(({ start, end }) => start <= offset && offset < end);
  return { word: words[index].text.toLowerCase(), words, index, isSecond, weight: EVERYDAY_WEIGHT };
}

function readSentences() {
  return readFileSync(new URL('sentences.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.includes(' = '))
    .map((line) => {
      const [sentence, sense] = line.split(' = ');
      return markedExample(sentence, sense === 'verb' || sense === '2');
    });
}

function fillTemplates(words) {
  const examples = [];
  for (const [part, templates] of Object.entries(TEMPLATES)) {
    for (const [at, template] of templates.entries()) {
      for (let count = 0; count < TEMPLATE_WORDS; count++) {
        const word = words[(at * TEMPLATE_WORDS + count * 7) % words.length];
        const written = template.startsWith('*') ? word[0].toUpperCase() + word.slice(1) : word;
        examples.push(markedExample(template.replace('*', `*${written}*`), part === 'verb'));
      }
    }
  }
  return examples;
}

/** Features with the weights of all words, and with those of the word unless it has examples of one sense only. */
function featuresOf({ word, words, index }, balanced) {
  const { shared, own } = heteronymFeatures(words, index, guessTag(words, index));
  const ownOfWord = own.map((feature) => `${word} ${feature}`);
  if (HETERONYM_SENSES.has(word)) return ownOfWord;
  return balanced.has(word) ? [...shared, ...ownOfWord] : shared;
}

/** Logistic regression with AdaGrad; the weights are averaged over the epochs. */
function fit(examples) {
  const ids = new Map();
  const idOf = (feature) => {
    if (!ids.has(feature)) ids.set(feature, ids.size);
    return ids.get(feature);
  };
  const rows = examples.map((example) => ({ ...example, ids: Int32Array.from(example.features, idOf) }));
  const counts = new Int32Array(ids.size);
  for (const row of rows) for (const id of row.ids) counts[id] += row.weight;
  const weights = new Float64Array(ids.size);
  const gradients = new Float64Array(ids.size).fill(0.5);
  const averages = new Float64Array(ids.size);
  const random = generator(1);
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    shuffle(rows, random);
    for (const { ids: row, isSecond, weight } of rows) {
      const score = row.reduce((sum, id) => sum + weights[id], 0);
      const error = weight * (1 / (1 + Math.exp(-score)) - (isSecond ? 1 : 0));
      for (const id of row) {
        if (counts[id] < EXAMPLES_MIN) continue;
        const gradient = error + (DECAY * weights[id] * rows.length) / counts[id];
        gradients[id] += gradient ** 2;
        weights[id] -= (RATE * gradient) / Math.sqrt(gradients[id]);
      }
    }
    for (let id = 0; id < weights.length; id++) averages[id] += weights[id] / EPOCHS;
  }
  return new Map([...ids].map(([feature, id]) => [feature, averages[id]]));
}

function generator(seed) {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}

function shuffle(rows, random) {
  for (let at = rows.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [rows[at], rows[other]] = [rows[other], rows[at]];
  }
}

const training = readExamples('train');
const sensesOf = Map.groupBy?.(training, ({ word }) => word) ?? groupByWord(training);
function groupByWord(examples) {
  const groups = new Map();
  for (const example of examples) groups.set(example.word, [...(groups.get(example.word) ?? []), example]);
  return groups;
}
const SENSE_MIN = 5;
const balanced = new Set(
  [...sensesOf]
    .filter(([, list]) => {
      const second = list.filter(({ isSecond }) => isSecond).length;
      return second >= SENSE_MIN && list.length - second >= SENSE_MIN;
    })
    .map(([word]) => word),
);
const verbs = [...sensesOf.keys()].filter((word) => !HETERONYM_SENSES.has(word));
const examples = [...training, ...readSentences(), ...fillTemplates(verbs)].map((example) => ({
  ...example,
  features: featuresOf(example, balanced),
}));
const weights = fit(examples);

const isRight = ({ features, isSecond }) =>
  features.reduce((sum, feature) => sum + (weights.get(feature) ?? 0), 0) > 0 === isSecond;
const evaluation = readExamples('eval').map((example) => ({
  ...example,
  features: featuresOf(example, balanced),
}));
for (const [name, list] of Object.entries({ training: examples, evaluation })) {
  const right = list.filter(isRight).length;
  console.log(`${name}: ${right} of ${list.length} (${((100 * right) / list.length).toFixed(2)} %)`);
}
if (process.argv.includes('--mistakes')) {
  for (const example of evaluation.filter((each) => !isRight(each)))
    console.log(
      example.word,
      example.isSecond,
      example.words.map(({ text }, at) => (at === example.index ? `*${text}*` : text)).join(' '),
    );
}

const lines = [...weights]
  .filter(
    ([feature, weight]) => Math.abs(weight) >= WEIGHT_MIN || (/^\S+ bias$/.test(feature) && weight !== 0),
  )
  .map(([feature, weight]) => `${feature}\t${weight.toFixed(2)}`)
  .sort((one, two) => Buffer.compare(Buffer.from(one.split('\t')[0]), Buffer.from(two.split('\t')[0])));
const header = [
  '; Weights of the heteronym model: feature and weight, sorted by bytes. Made by training/heteronyms/train.mjs from',
  '; https://github.com/google-research-datasets/WikipediaHomographData (Apache-2.0) and sentences of this project.',
];
const text = Buffer.from([...header, ...lines, ''].join('\n'));
const target = new URL('../../server/assets/phonemes/english-heteronyms.tsv.br', import.meta.url);
const compressed = brotliCompressSync(text, {
  params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: text.length },
});
writeFileSync(target, compressed);
console.log(`${lines.length} weights, ${compressed.length} bytes`);
