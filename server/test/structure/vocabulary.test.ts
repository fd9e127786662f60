import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const CODE_FOLDERS = [
  'server/src',
  'server/test',
  'server/bench',
  'sdk/typescript/src',
  'scripts',
  'examples',
];
const PROSE_FOLDERS = [...CODE_FOLDERS, 'docs', 'sdk/python', 'training'];
const PROSE_FILES = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'NOTICE',
];
const TEXT_FILE = /\.(ts|mjs|md|py|html)$/;
const THIS_FILE = 'server/test/structure/vocabulary.test.ts';

/** Identifiers that the glossary of ARCHITECTURE.md has replaced. */
const RETIRED_IDENTIFIERS = `
  ActingListener AskedProcess Backlog BadFrame BendKernel Bookkeeping BurstSoftener CaptionMaker Cast
  CastTurn ClaimCheck CuttingRules DeliveryCount DesigningJob DictionaryChoice Ear ElevenLabsDialect
  EngineCapabilities EngineChoice Few FindingJob GettingReady GrowingText HEARING_MODELS HEARING_RATE_HZ
  HeardAudio HeardSegment HeardStretch HeardToken HeardWord HearingContext HearingDeps HearingEvent HearingHost
  HearingInput HearingJob HearingOrder HearingPool HearingWorkers HttpDeps Joints KeptAnswer KeptVoice
  KokoroSounds LeanOpening Listening ListeningCloner ListeningDeps ListeningSocket LiveDialect LiveListener
  LiveSale LiveSession LoadedOnce MelodyChange MessageDialect MessageSocket MixingJob Mp3LeadInCutter
  NumberSpeaker OutOfBits PeakKernel PerformedPiece PronunciationFinder RECORDING_MODELS ReadableText
  ReadingTranscription RealtimeProblem RecordingEngine RecordingEngineKind RequestOrder RoundingKernel
  ScribeDialect SettledStretch SettledWord SherpaSpeech SpeakRequest SpeakResult Speaking SpeechDialect
  SpokenPart SpokenRecording StretchCutter StretchListener Till TimedAnswer TimedSpeakResult TraitReader
  Transcribing VitsSounds VoiceClock VoiceFinder VoiceFinish VoiceKeepingDeps VoiceMiddle VoicePrintNetwork
  VoicePrinter VoiceStage VoiceWish WaitingRoom WatermarkFinding Watermarker Whisperer WorldWords aimFor
  beginOnce bestShare buildVoicePrintModel castSsml castTurns changedMelody chargeHeard countSpeech
  createCjkReader createEnglishReader createOnce createWorldReader cutDecoder espeakSounds evenCompression
  firstAbove firstPeak giveBackLame hasRoomFor hearOnce heardFrames holdsOpus isAwaited isHearingModel
  isInvented isOpening kokoroSounds likeRecording loadVoicePrinter makerOf markSound measureHearing
  melodyFactor melodyFactors melodyOctaves mostUrgent openBookkeeping openHearingHost openTranscribing
  pendingLetters planPerformance readSoundRecord readTurn readWholePages recall saysAll sellCompatSpeech
  sellHearing sellSpeech serveCrowd serveListening settledWithin softenSpeech speakPieces splitTurns
  surveySsml takeLame trimToSound trySpeech usersOf voiceAsVector waysToShare withFigures withoutLoop
`
  .trim()
  .split(/\s+/);

/** Figures of speech that were replaced by plain statements, as words so that this file does not contain them. */
const RETIRED_PHRASES = [
  ['in', 'his', 'hands'],
  ['room', 'for', 'young', 'objects'],
  ['memories', 'that', 'fade'],
  ['request', 'that', 'needs', 'it', 'tells'],
  ['may', 'wait', 'for', 'their', 'first', 'audio'],
  ['waits', 'for', 'nobody', 'but'],
  ['step', 'back', 'for', 'others'],
  ['called', 'where', 'people', 'read', 'it'],
  ['job', 'that', 'nobody', 'works', 'on'],
  ['time', 'that', 'all', 'streams', 'need'],
  ['one', 'at', 'a', 'time', 'do', 'something'],
  ['Hearing', 'costs', 'less'],
  ['A', 'box', 'of', 'your', 'own'],
  ['Selling', 'speech'],
].map((words) => words.join(' '));

let files: ReadonlyMap<string, string>;

before(async () => {
  const inFolders = await Promise.all(PROSE_FOLDERS.map((folder) => listFiles(join(ROOT, folder))));
  const paths = [...new Set([...inFolders.flat(), ...PROSE_FILES.map((name) => join(ROOT, name))])];
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  files = new Map(paths.map((path, index) => [relative(ROOT, path), texts[index] ?? '']));
});

test('the retired identifiers are gone from the code', () => {
  const retired = new Set(RETIRED_IDENTIFIERS);
  const found = [...files]
    .filter(([path]) => path !== THIS_FILE && CODE_FOLDERS.some((folder) => path.startsWith(`${folder}/`)))
    .filter(([path]) => !path.endsWith('.md'))
    .flatMap(([path, text]) =>
      [...identifiersOf(text)].filter((name) => retired.has(name)).map((name) => `${path}: ${name}`),
    );
  assert.deepEqual(found, []);
});

test('the retired phrases are gone from code and prose', () => {
  const found = [...files].flatMap(([path, text]) =>
    RETIRED_PHRASES.filter((phrase) => text.includes(phrase)).map((phrase) => `${path}: ${phrase}`),
  );
  assert.deepEqual(found, []);
});

test('the glossary has a row for every domain folder’s main concept', () => {
  const architecture = files.get('ARCHITECTURE.md') ?? '';
  const glossary = architecture.slice(architecture.indexOf('## Glossary'));
  for (const term of [
    'piece',
    'cue',
    'delivery',
    'voice',
    'hold',
    'admission',
    'engine',
    'transcription',
    'segment',
    'model store',
  ]) {
    assert.match(glossary, new RegExp(`\\| [^|]*\\b${term}\\b[^|]* \\|`), term);
  }
});

/** Identifiers of code, without the contents of comments and strings. */
function identifiersOf(code: string): ReadonlySet<string> {
  const bare = code
    .replaceAll(/\/\*[\s\S]*?\*\//g, ' ')
    .replaceAll(/\/\/.*$/gm, ' ')
    .replaceAll(/'(?:[^'\\\n]|\\.)*'/g, ' ');
  return new Set(bare.match(/[A-Za-z_$][\w$]*/g) ?? []);
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && TEXT_FILE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/\/(node_modules|dist|dist-[a-z]+|\.venv|__pycache__)\//.test(path));
}
