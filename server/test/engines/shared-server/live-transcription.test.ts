import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countWordErrors } from '../../../bench/word-errors.ts';
import { Resampler } from '../../../src/audio/dsp/resampler.ts';
import { fromPcm16Bytes, toPcm16Bytes } from '../../../src/audio/encode/pcm16.ts';
import { joinSamples } from '../../../src/audio/pcm.ts';
import { OPUS_RATE_HZ, opusPackets } from '../../support/audio/opus-packets.ts';
import { noise, tone } from '../../support/audio/signals.ts';
import { openLiveTranscription } from '../../support/calls/live-transcription-client.ts';
import { until } from '../../support/servers/real-server.ts';
import { useRealServer } from '../../support/servers/shared-real-server.ts';

const FIRST = 'The little boat came home at last, and nobody on the shore had seen it leave.';
const SECOND = 'She opened the window because the room was warm.';
const RATE_HZ = 16_000;
const PACKET_SECONDS = 0.02;
const PAUSE_SECONDS = 1.2;
const TRANSCRIPTION_TIMEOUT_MS = 120_000;

const server = useRealServer();

async function speak(text: string): Promise<Float32Array> {
  const response = await server.speak({ text, format: 'pcm', sample_rate: RATE_HZ });
  assert.equal(response.status, 200);
  const resampler = new Resampler({ fromHz: RATE_HZ, toHz: OPUS_RATE_HZ });
  const samples = fromPcm16Bytes(new Uint8Array(await response.arrayBuffer()));
  return joinSamples([resampler.process(samples), resampler.flush()]);
}

const audio = (packet: Uint8Array) => ({ event: 'audio', audio: Buffer.from(packet) });

for (const channels of [1, 2] as const) {
  test(`speech in Opus packets with ${channels} channels is transcribed live`, async () => {
    const pause = new Float32Array(PAUSE_SECONDS * OPUS_RATE_HZ);
    const [first, second] = [await speak(FIRST), await speak(SECOND)];
    const packets = (await opusPackets(joinSamples([first, pause, second]), channels)).map(audio);
    const secondStartSeconds = (first.length + pause.length) / OPUS_RATE_HZ;
    const secondStart = Math.floor(secondStartSeconds / PACKET_SECONDS);
    const client = await openLiveTranscription(server);
    const request = { encoding: 'opus', sample_rate: OPUS_RATE_HZ, channels, language: 'en' };
    client.send({ event: 'start', request }, ...packets.slice(0, secondStart));
    // Only the pause after the sentence ends the segment.
    await until(
      'the first segment has arrived',
      () => client.framesOf('segment').length === 1,
      TRANSCRIPTION_TIMEOUT_MS,
    );
    const partials = client.framesOf('partial');
    // The packets arrive at once, so how many partial results fit before the segment depends on the machine.
    assert.equal(client.received[0]?.event, 'partial');
    for (const { start, end } of partials) assert.ok(Number(start) < 0.6 && Number(end) <= 6);

    client.send(...packets.slice(secondStart), { event: 'stop' });
    await until(
      'the session has finished',
      () => client.framesOf('finish').length === 1,
      TRANSCRIPTION_TIMEOUT_MS,
    );
    const segments = client.framesOf('segment');
    const texts = segments.map(({ text }) => String(text));
    assert.deepEqual(
      [countWordErrors(FIRST, texts[0]!), countWordErrors(SECOND, texts[1]!)].map(({ errors }) => errors),
      [0, 0],
      texts.join('|'),
    );
    assert.ok(
      Number(segments[0]?.end) < secondStartSeconds - PAUSE_SECONDS + 0.3,
      'a segment ends with its words',
    );
    assert.ok(Number(segments[1]?.start) > secondStartSeconds - 0.3);
    const words = segments.flatMap((segment) => segment.words as { text: string; start: number }[]);
    assert.equal(words.map(({ text }) => text).join(' '), texts.join(' '));
    assert.ok(words.every(({ start }, index) => start >= (words[index - 1]?.start ?? 0)));
    const [finish] = client.framesOf('finish');
    assert.equal(finish?.text, texts.join(' '));
    assert.ok(Math.abs(Number(finish?.duration) - packets.length * PACKET_SECONDS) < 0.01);
    client.socket.close();
  });
}

const SILENCE = new Float32Array(2 * RATE_HZ);
const NON_SPEECH: readonly (readonly [name: string, samples: Float32Array])[] = [
  ['silence', SILENCE],
  ['white noise', noise(3 * RATE_HZ, 0.3)],
  ['a tone', tone({ frequencyHz: 440, seconds: 3, sampleRateHz: RATE_HZ, amplitude: 0.3 })],
  ['a click', SILENCE.map((_, index) => (index > RATE_HZ && index < RATE_HZ + 40 ? 0.9 : 0))],
];
for (const [name, samples] of NON_SPEECH) {
  test(`${name} on a live socket gives neither partials nor segments`, async () => {
    const client = await openLiveTranscription(server);
    const message = audio(toPcm16Bytes(samples));
    client.send({ event: 'start', request: { language: 'en' } }, message, { event: 'flush' }, message, {
      event: 'stop',
    });
    await until(
      'the session has finished',
      () => client.framesOf('finish').length === 1,
      TRANSCRIPTION_TIMEOUT_MS,
    );
    assert.equal(client.received.length, 1);
    assert.equal(client.received[0]?.text, '');
    client.socket.close();
  });
}
