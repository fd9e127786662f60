// Calls npm clients of other services with the defaults of their constructors, and prints one JSON row per operation.
// Only the URL and the key are set. Copied to a folder with the packages and run there:
// node table.mjs URL KEY RECORDING MYNAH_CLI

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [url, apiKey, recordingPath, cli] = process.argv.slice(2);
const elevenLabs = `${url}/compat/elevenlabs`;
const TEXT = 'The boat came home at last.';
const recording = readFileSync(recordingPath);

const load = (name) => import(name);

/** The AI SDK's provider of ElevenLabs has no base URL; its `fetch` is the only place to set one. */
const fetchFromUrl = (input, init) =>
  fetch(String(input).replace('https://api.elevenlabs.io', elevenLabs), init);

function expect(condition, what) {
  if (!condition) throw new Error(what);
}

const expectText = (text) => expect(/boat/i.test(text), `the transcript is wrong: ${text}`);

async function sizeOf(stream) {
  let size = 0;
  for await (const chunk of stream) size += chunk.length;
  return size;
}

async function aiSdkSpeech(ai, model) {
  const { audio } = await (ai.experimental_generateSpeech ?? ai.generateSpeech)({ model, text: TEXT });
  expect(audio.uint8Array.length > 1000, 'no audio');
}

async function aiSdkTranscription(ai, model) {
  const { text } = await (ai.experimental_transcribe ?? ai.transcribe)({ model, audio: recording });
  expectText(text);
}

/** The providers of the AI SDK, in the versions that belong to `ai`. */
function aiSdkRows(ai, openai, elevenlabs) {
  const openAiOf = async () => (await load(openai)).createOpenAI({ apiKey, baseURL: `${url}/v1` });
  const elevenLabsOf = async () => (await load(elevenlabs)).createElevenLabs({ apiKey, fetch: fetchFromUrl });
  return [
    [openai, ai, 'speech', async () => aiSdkSpeech(await load(ai), (await openAiOf()).speech('tts-1'))],
    [
      openai,
      ai,
      'transcription',
      async () => aiSdkTranscription(await load(ai), (await openAiOf()).transcription('whisper-1')),
    ],
    [
      elevenlabs,
      ai,
      'speech',
      async () => aiSdkSpeech(await load(ai), (await elevenLabsOf()).speech('eleven_multilingual_v2')),
    ],
    [
      elevenlabs,
      ai,
      'transcription',
      async () => aiSdkTranscription(await load(ai), (await elevenLabsOf()).transcription('scribe_v1')),
    ],
  ];
}

const ROWS = [
  [
    'openai',
    undefined,
    'speech',
    async () => {
      const { default: OpenAI } = await load('openai');
      const client = new OpenAI({ apiKey, baseURL: `${url}/v1` });
      const speech = await client.audio.speech.create({
        model: 'gpt-4o-mini-tts',
        voice: 'alloy',
        input: TEXT,
      });
      expect((await speech.arrayBuffer()).byteLength > 1000, 'no audio');
    },
  ],
  [
    'openai',
    undefined,
    'transcription',
    async () => {
      const { default: OpenAI, toFile } = await load('openai');
      const client = new OpenAI({ apiKey, baseURL: `${url}/v1` });
      const file = await toFile(recording, 'recording.wav');
      expectText((await client.audio.transcriptions.create({ model: 'whisper-1', file })).text);
    },
  ],
  [
    '@elevenlabs/elevenlabs-js',
    undefined,
    'speech',
    async () => {
      const { ElevenLabsClient } = await load('@elevenlabs/elevenlabs-js');
      const client = new ElevenLabsClient({ apiKey, baseUrl: elevenLabs });
      const audio = await client.textToSpeech.convert('JBFqnCBsd6RMkjVDRZzb', { text: TEXT });
      expect((await sizeOf(audio)) > 1000, 'no audio');
    },
  ],
  [
    '@elevenlabs/elevenlabs-js',
    undefined,
    'transcription',
    async () => {
      const { ElevenLabsClient } = await load('@elevenlabs/elevenlabs-js');
      const client = new ElevenLabsClient({ apiKey, baseUrl: elevenLabs });
      const file = new Blob([recording]);
      expectText((await client.speechToText.convert({ modelId: 'scribe_v1', file })).text);
    },
  ],
  [
    '@elevenlabs/elevenlabs-js',
    undefined,
    'pronunciation dictionaries',
    async () => {
      const { ElevenLabsClient } = await load('@elevenlabs/elevenlabs-js');
      const { pronunciationDictionaries } = new ElevenLabsClient({ apiKey, baseUrl: elevenLabs });
      const rule = { type: 'phoneme', stringToReplace: 'boat', phoneme: 'boʊt', alphabet: 'ipa' };
      const { id } = await pronunciationDictionaries.createFromRules({ name: 'Terms', rules: [rule] });
      const { versionRulesNum } = await pronunciationDictionaries.rules.remove(id, { ruleStrings: ['boat'] });
      expect(versionRulesNum === 0, `${versionRulesNum} rules are left`);
    },
  ],
  [
    'fish-audio',
    undefined,
    'speech',
    async () => {
      const { FishAudioClient } = await load('fish-audio');
      const audio = await new FishAudioClient({ apiKey, baseUrl: url }).textToSpeech.convert({ text: TEXT });
      expect((await sizeOf(audio)) > 1000, 'no audio');
    },
  ],
  [
    'fish-audio',
    undefined,
    'streaming speech',
    async () => {
      const { FishAudioClient, RealtimeEvents } = await load('fish-audio');
      const words = (async function* () {
        for (const word of TEXT.split(' ')) yield `${word} `;
      })();
      const client = new FishAudioClient({ apiKey, baseUrl: url });
      const connection = await client.textToSpeech.convertRealtime({ text: '' }, words);
      let size = 0;
      connection.on(RealtimeEvents.AUDIO_CHUNK, (chunk) => {
        size += chunk.length;
      });
      await new Promise((resolve, reject) => {
        connection.on(RealtimeEvents.CLOSE, resolve);
        connection.on(RealtimeEvents.ERROR, reject);
      });
      expect(size > 1000, 'no audio');
    },
  ],
  [
    'fish-audio',
    undefined,
    'transcription',
    async () => {
      const { FishAudioClient } = await load('fish-audio');
      const audio = new File([recording], 'recording.wav');
      const client = new FishAudioClient({ apiKey, baseUrl: url });
      expectText((await client.speechToText.convert({ audio })).text);
    },
  ],
  ...aiSdkRows('ai', '@ai-sdk/openai', '@ai-sdk/elevenlabs'),
  ...aiSdkRows('ai-6', 'ai-sdk-openai-of-6', 'ai-sdk-elevenlabs-of-6'),
  [
    '@modelcontextprotocol/sdk',
    undefined,
    'speak over stdio',
    async () => {
      const { Client } = await load('@modelcontextprotocol/sdk/client/index.js');
      const { StdioClientTransport } = await load('@modelcontextprotocol/sdk/client/stdio.js');
      const client = new Client({ name: 'table', version: '1' });
      const args = [cli, 'mcp', '--server', url, '--key', apiKey];
      await client.connect(new StdioClientTransport({ command: process.execPath, args }));
      const { content } = await client.callTool({ name: 'speak', arguments: { text: TEXT } });
      await client.close();
      expect(content[0].type === 'audio' && content[0].data.length > 1000, 'no audio');
    },
  ],
];

/** Name and version of an installed package; an alias is resolved. */
function packageOf(name) {
  const path = join(process.cwd(), 'node_modules', name, 'package.json');
  return JSON.parse(readFileSync(path, 'utf8'));
}

for (const [name, partner, operation, run] of ROWS) {
  const { name: client, version } = packageOf(name);
  const companion = partner && packageOf(partner);
  let problem = null;
  try {
    await run();
  } catch (error) {
    problem = `${error.name}: ${error.message}`.slice(0, 200);
  }
  const shown = companion ? `${version} with ${companion.name} ${companion.version}` : version;
  console.log(JSON.stringify({ client: `npm ${client}`, version: shown, operation, problem }));
}
// Some clients keep their connection open.
process.exit();
