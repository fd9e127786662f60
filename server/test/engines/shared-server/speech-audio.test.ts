import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoudnessMeter } from '../../../src/audio/dsp/loudness.ts';
import { measureSpeech } from '../../../src/audio/dsp/speech-measures.ts';
import { FORMATS } from '../../../src/audio/formats.ts';
import { sniffAudio } from '../../../src/audio/sniff.ts';
import { useRealServer } from '../../support/servers/shared-real-server.ts';

const TEXT = 'The museum opened on May 14th, 1893. Tickets cost $18.50, or sixty dollars for a family!';

const server = useRealServer();

async function speak(body: Record<string, unknown>, headers: Record<string, string> = {}) {
  const response = await server.speak({ text: TEXT, seed: 1, ...body }, { headers });
  assert.equal(response.status, 200, await describe(response));
  return { headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

async function describe(response: Response): Promise<string> {
  return response.ok ? '' : response.text();
}

function toSamples(pcm: Buffer): Float32Array {
  const samples = new Float32Array(pcm.length / 2);
  for (let index = 0; index < samples.length; index++) samples[index] = pcm.readInt16LE(index * 2) / 32768;
  return samples;
}

test('every format has its own bytes, its content type, and the same length of sound', async () => {
  const { bytes: pcm } = await speak({ format: 'pcm', sample_rate: 44100 });
  const seconds = pcm.length / 2 / 44100;
  assert.ok(seconds > 5 && seconds < 12, `${seconds} s`);
  const sniffed = { wav: 'wav', mp3: 'mp3', opus: 'ogg/opus', flac: 'flac' } as const;
  for (const format of Object.keys(sniffed) as (keyof typeof sniffed)[]) {
    const { headers, bytes } = await speak({ format });
    assert.equal(headers.get('content-type'), FORMATS[format].contentType);
    assert.equal(headers.get('content-length'), null);
    assert.equal(sniffAudio(bytes), sniffed[format]);
    if (format === 'wav') assert.equal((bytes.length - 44) / 2 / 44100, seconds);
    if (format === 'mp3') assert.ok(Math.abs(bytes.length / 16_000 - seconds) < 0.06);
  }
});

test('two equal requests with a seed give equal bytes, another seed gives others', async () => {
  const [first, again, other] = await Promise.all([
    speak({ format: 'wav', seed: 42 }),
    speak({ format: 'wav', seed: 42 }),
    speak({ format: 'wav', seed: 43 }),
  ]);
  assert.ok(first.bytes.equals(again.bytes));
  assert.ok(!first.bytes.equals(other.bytes));
});

test('speech is as loud as promised, and volume moves it', async () => {
  const loudness = async (prosody: Record<string, unknown>) => {
    const meter = new LoudnessMeter(24000);
    meter.process(toSamples((await speak({ format: 'pcm', sample_rate: 24000, prosody })).bytes));
    return meter.integratedLufs();
  };
  const normal = await loudness({ normalize_loudness: true });
  assert.ok(Math.abs(normal + 16) < 2, `${normal} LUFS`);
  const softer = await loudness({ normalize_loudness: true, volume: -10 });
  assert.ok(Math.abs(normal - softer - 10) < 1, `${softer} LUFS`);
});

test('speed changes the length of the speech by its factor', async () => {
  const seconds = async (speed: number) =>
    (await speak({ format: 'pcm', prosody: { speed } })).bytes.length / 88_200;
  const normal = await seconds(1);
  const fast = await seconds(1.5);
  const slow = await seconds(0.7);
  assert.ok(Math.abs(fast - normal / 1.5) < normal * 0.15, `${fast} of ${normal}`);
  assert.ok(Math.abs(slow - normal / 0.7) < normal * 0.2, `${slow} of ${normal}`);
});

test('the answer names the model, the engine and the voice, and a voice is spoken by its own engine', async () => {
  const kokoro = await speak({ format: 'pcm', reference_id: 'am_michael' }, { model: 'S1' });
  assert.equal(kokoro.headers.get('x-mynah-model'), 's1');
  assert.equal(kokoro.headers.get('x-mynah-engine'), 'kokoro-fast');
  assert.equal(kokoro.headers.get('x-mynah-voice'), 'am_michael');
  const vits = await speak({ format: 'pcm', reference_id: 'libritts-100' }, { model: 's1' });
  assert.equal(vits.headers.get('x-mynah-engine'), 'vits');
  assert.ok(vits.bytes.length > 200_000);
});

test('every language of the voices is spoken', async () => {
  const texts: Record<string, string> = {
    bf_emma: 'The lorry is parked outside the chemist.',
    ef_dora: 'La reunión empieza a las 9 y cuesta 25 euros.',
    ff_siwis: 'Le train part à 8 heures et coûte 42 euros.',
    if_sara: 'Il treno parte alle 8 e costa 42 euro.',
    pf_dora: 'A reunião começa às 9 e custa 25 reais.',
    hf_alpha: 'बैठक सुबह 9 बजे शुरू होती है।',
    jf_alpha: '会議は9時に始まります。',
    zf_xiaoxiao: '会议九点开始，请准时到达。',
  };
  for (const [voice, text] of Object.entries(texts)) {
    const { bytes } = await speak({ text, format: 'pcm', sample_rate: 24000, reference_id: voice });
    const seconds = bytes.length / 48_000;
    assert.ok(seconds > 1.2 && seconds < 8, `${voice}: ${seconds} s`);
    assert.ok(
      toSamples(bytes).some((sample) => Math.abs(sample) > 0.1),
      voice,
    );
  }
});

test('an empty text gives an empty but valid file', async () => {
  const { bytes } = await speak({ text: '', format: 'wav' });
  assert.equal(bytes.length, 44);
});

test('a text of 100,000 characters starts at once and can be left', async () => {
  const abort = new AbortController();
  const text =
    'She sells sea shells by the sea shore, and the shells she sells are surely seashells. '.repeat(1200);
  const response = await server.speak(
    { text: text.slice(0, 100_000), format: 'mp3' },
    { signal: abort.signal },
  );
  assert.equal(response.status, 200);
  await response.body!.getReader().read();
  abort.abort();
});

test('cues are acted and never spoken: a whisper has no voice, a break is a pause, a laugh is heard', async () => {
  const hear = async (text: string) => {
    const { bytes } = await speak({ text, format: 'pcm', sample_rate: 24000 });
    return measureSpeech(toSamples(bytes), 24000);
  };
  const plain = await hear('We walked along the river.');
  const whisper = await hear('(whispering) We walked along the river.');
  assert.ok(plain.voicedShare > 0.5 && whisper.voicedShare < 0.1, `${whisper.voicedShare}`);
  assert.ok(whisper.levelDb < plain.levelDb - 3);
  const happy = await hear('[very happy] We walked along the river.');
  assert.ok(12 * Math.log2(happy.pitchHz / plain.pitchHz) > 1.5);
  const broken = await hear('We walked (long-break) along the river.');
  assert.ok(broken.longestPauseSeconds > plain.longestPauseSeconds + 1);
  const laugh = await hear('(laughing)');
  assert.ok(laugh.seconds > 0.8 && laugh.seconds < 2, `${laugh.seconds} s`);
  const unknown = await hear('[in the style of a teapot] We walked along the river.');
  assert.equal(unknown.seconds, plain.seconds);
});
