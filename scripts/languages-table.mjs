// The table of languages for the guide, computed by the code that detects, reads and speaks them.
import { DIST } from './setup.mjs';

const load = (path) => import(`file://${DIST}/src/${path}.js`);

/** A sentence in each language, from which it has to be recognised. */
const SENTENCES = {
  'en-US': 'We walked along the river until it was dark, and nobody wanted to go home.',
  es: 'Caminamos por la orilla del río hasta que oscureció, y nadie quería volver a casa.',
  fr: 'Nous avons marché le long de la rivière jusqu’à la nuit, et personne ne voulait rentrer.',
  it: 'Abbiamo camminato lungo il fiume finché non è diventato buio, e nessuno voleva tornare a casa.',
  'pt-BR': 'Caminhamos ao longo do rio até escurecer, e ninguém queria voltar para casa.',
  hi: 'हम अंधेरा होने तक नदी के किनारे चलते रहे।',
  ja: '暗くなるまで川沿いを歩きました。',
  zh: '我们沿着河边一直走到天黑。',
};

/** Languages that only a part of the voices speak as their own. */
const DETECTED_BY_VOICE = 'no: `language` or a voice';

/** The table as Markdown. */
export async function languagesTable() {
  const { LANGUAGES } = await load('text/piece');
  const rows = await Promise.all(LANGUAGES.map(languageRow));
  return [
    '| language | tag | built-in voices | cloned voices | detected in text | cues | word times | 23 is read | transcription |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
    '| German and others that Piper has | `de`, … | fetch a [Piper voice](#piper-voices) | no | German by its words | yes | yes | by espeak-ng | Whisper |',
    `| ${await furtherLanguages(LANGUAGES)} further ones | | none | no | no | | | | Whisper |`,
  ].join('\n');
}

async function languageRow(tag) {
  const { listKokoroVoices } = await load('domain/voices/catalogue/kokoro-voices');
  const { textToPieces } = await load('text/front-end/text-to-pieces');
  const [code] = tag.split('-');
  const voices = listKokoroVoices().filter(({ language }) => language === tag).length;
  const number = [...textToPieces('23', { language: tag, normalize: true })].flatMap(
    ({ words = [] }) => words,
  );
  const cells = [
    new Intl.DisplayNames('en', { type: 'language' }).of(tag),
    `\`${tag}\``,
    tag === 'en-US' ? `${voices}, and 904 of LibriTTS-R` : voices,
    await cloningOf(code),
    await detectionOf(tag),
    'yes',
    'yes',
    number.map(({ text }) => text).join(' '),
    code === 'en' ? 'Moonshine, Whisper' : 'Whisper',
  ];
  return `| ${cells.join(' | ')} |`;
}

async function cloningOf(code) {
  const { languagesOfClones } = await load('domain/engines/cloning-engine');
  return languagesOfClones('kokoro-fast').includes(code) ? 'yes' : 'no';
}

async function detectionOf(tag) {
  const { detectTextLanguage } = await load('text/language/detect-language');
  const sentence = SENTENCES[tag];
  if (sentence === undefined) return DETECTED_BY_VOICE;
  if (!/\p{Script=Latin}/u.test(sentence)) return 'by its script';
  return detectTextLanguage(sentence) === tag.split('-')[0] ? 'by its words' : DETECTED_BY_VOICE;
}

async function furtherLanguages(languages) {
  const { TRANSCRIPTION_LANGUAGES } = await load('domain/transcription/language-hint');
  const spoken = new Set([...languages.map((tag) => tag.split('-')[0]), 'de']);
  return TRANSCRIPTION_LANGUAGES.filter((code) => !spoken.has(code)).length;
}
