import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { encodeWavFile } from '../../../src/audio/encode/wav.ts';
import { joinSamples } from '../../../src/audio/pcm.ts';
import { noise } from '../../support/audio/signals.ts';
import { FORM_ENCODINGS } from '../../support/calls/voice-forms.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { synthesizeTalk } from '../../support/voices/synthetic-talk.ts';
import { RecordingCloner } from '../../support/workers/recording-cloner.ts';

const RATE_HZ = 16_000;
let server: TestServer;
before(async () => {
  server = await startTestServer({
    voices: { cloner: new RecordingCloner() },
    config: { voiceClipMaxSeconds: 100 },
  });
});
after(() => server.close());

const man = (seconds: number) => synthesizeTalk({ seconds, pitchHz: 110, sampleRateHz: RATE_HZ });
const woman = (seconds: number) =>
  synthesizeTalk({ seconds, pitchHz: 215, tractLength: 0.82, seed: 7, sampleRateHz: RATE_HZ });
const pause = new Float32Array(10 * RATE_HZ);
const hiss = noise(12 * RATE_HZ, 0.06);
const wav = (samples: Float32Array) => Buffer.from(encodeWavFile({ samples, sampleRateHz: RATE_HZ }));

/** The result for a recording: an error with the verdict, or a voice with a remark. */
const CLIPS: readonly (readonly [name: string, file: () => Buffer, status: number, says: RegExp])[] = [
  ['a clean clip', () => wav(man(10)), 201, /^$/],
  ['a noisy clip', () => wav(man(12).map((sample, i) => sample + hiss[i]!)), 400, /too_noisy: .*quiet room/],
  [
    'a clipped clip',
    () => wav(man(12).map((x) => Math.max(-0.8, Math.min(0.8, 12 * x)))),
    400,
    /clipped: .*microphone level/,
  ],
  ['two speakers', () => wav(joinSamples([man(12), woman(12)])), 400, /several_speakers: .*one speaker only/],
  ['a third of a second of speech', () => wav(man(0.35)), 400, /too_little_speech: .*0\.5 seconds/],
  ['one and a half seconds of speech', () => wav(man(1.5)), 201, /^too_short: .*ten seconds/],
  ['five seconds of speech', () => wav(man(5)), 201, /^short: /],
  ['silence', () => wav(pause), 400, /silence: .*microphone/],
  [
    'more than a minute',
    () => wav(joinSamples([man(30), pause, man(30)])),
    201,
    /long: .*minute with the most speech/,
  ],
  ['more than is allowed', () => wav(man(110)), 400, /longer than/],
  ['a text file', () => Buffer.from('Dear diary, this is not a sound.'), 400, /not audio/],
];
/** Larger clips are sent in one encoding: the verdict depends on the samples, and megabytes of JSON numbers are slow. */
const EVERY_ENCODING_BYTES_MAX = 1e6;

for (const [name, file, status, says] of CLIPS) {
  test(`${name} gets its verdict, a clip of up to a megabyte in every encoding`, async () => {
    const voices = file();
    const encodings = Object.entries(FORM_ENCODINGS);
    const sent = voices.length > EVERY_ENCODING_BYTES_MAX ? encodings.slice(0, 1) : encodings;
    for (const [encoding, write] of sent) {
      const { type, body } = write({ title: 'Ada', voices });
      const headers = type === undefined ? {} : { 'content-type': type };
      const response = await server.call('/model', { method: 'POST', headers, body });
      const answer = (await response.json()) as { message: string; quality: Quality };
      assert.equal(response.status, status, `${encoding}: ${JSON.stringify(answer)}`);
      assert.match(
        status === 201 ? answer.quality.audios[0]!.quality_reason : answer.message,
        says,
        encoding,
      );
    }
    const references = [{ audio: voices.toString('base64'), text: 'Hello.' }];
    const spoken = await server.speak({ text: 'Hello.', references });
    assert.equal(spoken.status, status === 201 ? 200 : status);
    if (status !== 201) assert.match(((await spoken.json()) as { message: string }).message, says);
    else await spoken.arrayBuffer();
  });
}

interface Quality {
  readonly audios: readonly { readonly quality_reason: string }[];
}
