import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { testElevenLabs } from './elevenlabs.ts';
import { testFishAudio } from './fish-audio.ts';
import { testLiveKit } from './livekit.ts';
import { testOpenAi } from './openai.ts';
import { testPython } from './python.ts';
import { type ClientsServer, startClientsServer } from './server.ts';

// One server for all clients: loading the TTS, ASR and cloning models takes longer than the tests.
let server: ClientsServer;
before(async () => {
  server = await startClientsServer();
});
after(() => server.close());

describe('npm fish-audio', () => testFishAudio(() => server));
describe('npm openai', () => testOpenAi(() => server));
describe('npm @elevenlabs/elevenlabs-js', () => testElevenLabs(() => server));
describe('npm @livekit/agents-plugin-fishaudio', () => testLiveKit(() => server));
describe('PyPI fish-audio-sdk and openai', () => testPython(() => server));

test('no key is logged', () => {
  const keys = [server.key, server.keyWithoutCredit, server.limitedKey];
  const lines = server.output().split('\n');
  assert.ok(lines.some((line) => line.includes('live session ended')));
  assert.deepEqual(
    lines.filter((line) => keys.some((key) => line.includes(key))),
    [],
  );
});
