// `node scripts/samples.mjs`: makes the audio samples of docs/samples with a running server, with seeds, and writes their
// page. Every sample is transcribed by the same server; the page has what was recognised.
//
// The server is MYNAH_BASE_URL (default: this machine), the key MYNAH_API_KEY.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from './setup.mjs';

const FOLDER = join(ROOT, 'docs/samples');
const URL_BASE = process.env.MYNAH_BASE_URL ?? 'http://127.0.0.1:8080';
const AUTHORIZATION = { authorization: `Bearer ${process.env.MYNAH_API_KEY}` };
const SEED = 7;
const POLL_MS = 500;
const HARBOUR =
  'Every morning the ships leave the harbour, and in the evening they return with salt and with stories.';
const REFERENCE_TEXT =
  'The quick brown fox jumps over the lazy dog. On Sunday we walked along the river until it was dark, and nobody wanted to go home. ' +
  'The old bridge was closed, so we waited for the ferry and counted the lights on the other side.';

const SAMPLES = [
  { name: 'default-voice', about: 'Default voice (`af_heart`)', text: HARBOUR },
  { name: 'am_michael', about: '`am_michael`, American English', text: HARBOUR },
  { name: 'bf_emma', about: '`bf_emma`, British English', text: HARBOUR },
  {
    name: 'ef_dora',
    about: '`ef_dora`, Spanish',
    text: 'Cada mañana los barcos salen del puerto, y por la tarde vuelven con sal.',
  },
  {
    name: 'ff_siwis',
    about: '`ff_siwis`, French',
    text: 'Chaque matin les bateaux quittent le port, et le soir ils reviennent avec du sel.',
  },
  {
    name: 'if_sara',
    about: '`if_sara`, Italian',
    text: 'Ogni mattina le navi lasciano il porto, e la sera tornano con il sale.',
  },
  {
    name: 'pf_dora',
    about: '`pf_dora`, Portuguese',
    text: 'Todas as manhãs os barcos saem do porto, e à tarde voltam com sal.',
  },
  {
    name: 'whispering',
    about: 'Cue `(whispering)`',
    text: '(whispering) Do not wake the others. We leave before the sun is up.',
  },
  {
    name: 'excited',
    about: 'Cue `(excited)`',
    text: '(excited) We won! After all these years, we really won!',
  },
  {
    name: 'sad',
    about: 'Cue `(sad)`',
    text: '(sad) The house is empty now. Nobody will come back this year.',
  },
  {
    name: 'dialogue',
    about: 'Dialogue of `af_heart` and `am_michael`',
    text: '<|speaker:0|>Did you see the ship?<|speaker:1|>I did. It came in before the storm.<|speaker:0|>Then we can sleep tonight.',
    voice: ['af_heart', 'am_michael'],
    // Models before S2 take one voice.
    model: 's2-pro',
  },
];

mkdirSync(FOLDER, { recursive: true });
const rows = [];
for (const { name, about, text, voice, model } of SAMPLES) {
  const own = /^[a-z]{2}_/.test(name) ? name : undefined;
  rows.push(await make(name, about, { text, reference_id: voice ?? own }, model));
}
rows.push(...(await makeClone()));
writeFileSync(join(FOLDER, 'README.md'), page(rows));

/** A refined voice from a synthetic recording, beside the recording. The voice is deleted afterwards. */
async function makeClone() {
  const reference = await make('clone-reference', 'Recording for a cloned voice, spoken by `bm_george`', {
    text: REFERENCE_TEXT,
    reference_id: 'bm_george',
  });
  const recording = await speak({ text: REFERENCE_TEXT, reference_id: 'bm_george', format: 'wav' });
  const form = new FormData();
  form.set('title', 'Sample');
  form.set('consent', 'A synthetic voice.');
  form.set('voices', new Blob([recording]), 'reference.wav');
  form.set('texts', REFERENCE_TEXT);
  form.set('train_mode', 'full');
  const { _id: id } = await (await call('/model', { method: 'POST', body: form })).json();
  try {
    while ((await (await call(`/model/${id}`, {})).json()).state !== 'trained') await sleep(POLL_MS);
    return [reference, await make('clone', 'The cloned voice', { text: HARBOUR, reference_id: id })];
  } finally {
    await call(`/model/${id}`, { method: 'DELETE' });
  }
}

async function make(name, about, request, model = 's1') {
  const audio = await speak({ ...request, format: 'mp3', mp3_bitrate: 64 }, model);
  writeFileSync(join(FOLDER, `${name}.mp3`), audio);
  const form = new FormData();
  form.set('audio', new Blob([audio]), `${name}.mp3`);
  const { text, duration } = await (await call('/v1/asr', { method: 'POST', body: form })).json();
  console.log(`${name}: ${duration.toFixed(1)} s, ${(audio.length / 1024).toFixed(0)} KB: ${text}`);
  return { name, about, recognised: text, seconds: duration };
}

async function speak(request, model = 's1') {
  const headers = { 'content-type': 'application/json', model };
  const body = JSON.stringify({ seed: SEED, ...request });
  return Buffer.from(await (await call('/v1/tts', { method: 'POST', headers, body })).arrayBuffer());
}

async function call(path, { headers, ...init }) {
  const response = await fetch(URL_BASE + path, { ...init, headers: { ...AUTHORIZATION, ...headers } });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}

function page(samples) {
  const lines = samples.map(
    ({ name, about, recognised, seconds }) =>
      `| [${about}](${name}.mp3) | ${seconds.toFixed(1)} s | ${recognised} |`,
  );
  return `# Audio samples

Made by \`node scripts/samples.mjs\` with the model \`s1\` (the dialogue: \`s2-pro\`) and a seed. The last column is what the transcription of the same server recognised.

| sample | length | recognised |
| --- | --- | --- |
${lines.join('\n')}
`;
}
