// Measures transcription under noise and diarization by the gaps between turns, on a server of its own. By hand.
//
//   node scripts/check-transcription.mjs noise|diarization RECORDINGS [MODEL] [NORMALIZER] [ENTRY]
//
// RECORDINGS is a folder of speech with transcripts.tsv (name, speaker, text), NORMALIZER a module with a function `words`, as for
// `npm run bench`; ENTRY is main.js of another build of the server, to compare. docs/design/transcription.md has the results.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DIST } from './setup.mjs';
import {
  addNoise,
  babbleOf,
  compareTurns,
  overTelephone,
  placeTurns,
  RATE_HZ,
  trimSilence,
  whiteNoise,
} from './support/transcription-audio.mjs';

const { ServerProcess } = await import(`${DIST}/bench/processes/server-process.js`);
const { Children } = await import(`${DIST}/bench/processes/children.js`);
const { transcribe: transcribeFile } = await import(`${DIST}/bench/clients/transcribe.js`);
const { openRecordings } = await import(`${DIST}/bench/recordings.js`);
const { loadWordCounter } = await import(`${DIST}/bench/word-errors.js`);
const { encodeWavFile } = await import(`${DIST}/src/audio/encode/wav.js`);

/** Clips of each speaker that are transcribed in noise. */
const CLIPS = { from: 2, to: 6 };
const LONG_SECONDS = 300;
const CONVERSATION_TURNS = 8;
const TURN_MAX_SECONDS = 5;
/** Seconds between two turns; negative: both speak. */
const GAPS_SECONDS = [0.3, 0.1, 0, -0.5];
const MEASUREMENTS = { noise: measureNoise, diarization: measureDiarization };

const [name, folder, model = 'transcribe-1', normalizer, entry] = process.argv.slice(2);
const measurement = MEASUREMENTS[name];
if (measurement === undefined || folder === undefined) {
  console.error(
    `usage: node scripts/check-transcription.mjs ${Object.keys(MEASUREMENTS).join('|')} RECORDINGS [MODEL] [NORMALIZER] [ENTRY]`,
  );
  process.exit(2);
}
const server = await ServerProcess.start(
  { ...process.env, MYNAH_KEY_REQUESTS_PER_MINUTE: '0' },
  new Children(),
  entry,
);
try {
  await measurement(await openSpeakers());
} finally {
  await server.stop();
}

/** The recordings of each speaker. */
async function openSpeakers() {
  const recordings = await openRecordings({ server, recordings: folder });
  const rows = (await readFile(join(folder, 'transcripts.tsv'), 'utf8'))
    .split('\n')
    .map((row) => row.split('\t'));
  const speakers = new Map();
  for (const recording of recordings) {
    const row = rows.find((columns) => columns.at(-1)?.trim() === recording.text);
    const own = speakers.get(row[1]) ?? [];
    speakers.set(row[1], [...own, recording]);
  }
  return speakers;
}

async function measureNoise(speakers) {
  const countWordErrors = await loadWordCounter(normalizer);
  const clips = [...speakers].flatMap(([speaker, recordings]) =>
    recordings.slice(CLIPS.from, CLIPS.to).map((recording) => ({ speaker, ...recording })),
  );
  const babble = ({ speaker }, length) =>
    babbleOf(
      clips.filter((clip) => clip.speaker !== speaker),
      length,
    );
  const conditions = {
    clean: ({ samples }) => samples,
    telephone: ({ samples }) => overTelephone(samples),
    'babble, 10 dB': (clip) => addNoise(clip.samples, babble(clip, clip.samples.length), 10),
    'babble, 5 dB': (clip) => addNoise(clip.samples, babble(clip, clip.samples.length), 5),
    'white noise, 10 dB': ({ samples }) => addNoise(samples, whiteNoise(samples.length), 10),
    'white noise, 5 dB': ({ samples }) => addNoise(samples, whiteNoise(samples.length), 5),
  };
  for (const [condition, change] of Object.entries(conditions)) {
    const counts = [];
    for (const clip of clips) {
      const { text } = await transcribe(change(clip));
      counts.push(countWordErrors(clip.text, text));
    }
    printErrors(`${condition} (${clips.length} clips)`, counts);
  }
  const parts = [];
  for (let length = 0, at = 0; length < LONG_SECONDS * RATE_HZ; at++) {
    parts.push(clips[at % clips.length]);
    length += parts.at(-1).samples.length;
  }
  const { text } = await transcribe(placeTurns(parts, 0.5).samples);
  printErrors('five minutes', [countWordErrors(parts.map((part) => part.text).join(' '), text)]);
}

function printErrors(condition, counts) {
  const errors = sum(counts.map((count) => count.errors));
  const words = sum(counts.map((count) => count.words));
  console.log(`${model}, ${condition}: ${((100 * errors) / words).toFixed(1)} % of ${words} words`);
}

/** Conversations of two people: the time that is given to the wrong one, and the time that is given to nobody. */
async function measureDiarization(speakers) {
  const people = [...speakers.values()].map((recordings) =>
    recordings.map(({ samples }) => trimSilence(samples).subarray(0, TURN_MAX_SECONDS * RATE_HZ)),
  );
  for (const gapSeconds of GAPS_SECONDS) {
    const results = [];
    for (let at = 0; at + 1 < people.length; at++) {
      const turns = Array.from({ length: CONVERSATION_TURNS }, (_, turn) => {
        const own = people[at + (turn % 2)];
        return { speaker: turn % 2, samples: own[(turn >> 1) % own.length] };
      });
      const { samples, placed } = placeTurns(turns, gapSeconds);
      const { speaker_turns: found } = await transcribe(samples, { num_speakers: '2' });
      results.push(compareTurns(placed, found));
    }
    const total = sum(results.map((result) => result.seconds));
    const share = (seconds) => `${((100 * seconds) / total).toFixed(1)} %`;
    console.log(
      `${model}, gap ${gapSeconds} s: ${share(sum(results.map((result) => result.confusedSeconds)))} confused, ${share(sum(results.map((result) => result.missedSeconds)))} missed of ${total.toFixed(0)} s (${results.length} conversations)`,
    );
  }
}

function transcribe(samples, fields) {
  return transcribeFile(server, encodeWavFile({ samples, sampleRateHz: RATE_HZ }), model, fields);
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
