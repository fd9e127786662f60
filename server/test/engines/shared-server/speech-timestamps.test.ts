import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureLoudness } from '../../../src/audio/dsp/loudness.ts';
import { useRealServer } from '../../support/servers/shared-real-server.ts';

const RATE = 24000;
const TEXT = 'Dr. Smith paid $18.50 on May 14th, 2024. “It’s only 3:15 p.m.,” he said; (sad) nobody laughed!';
const WORDS = 'Dr.|Smith|paid|$18.50|on|May|14th|2024|It’s|only|3:15|p.m.|he|said|nobody|laughed';

interface Event {
  readonly audio_base64: string;
  readonly content: string;
  readonly alignment: { readonly segments: readonly Segment[]; readonly audio_duration: number } | null;
  readonly chunk_seq: number;
  readonly chunk_audio_offset_sec: number;
}

interface Segment {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly char_start: number;
  readonly char_end: number;
  readonly visemes?: readonly { readonly viseme: string }[];
}

const server = useRealServer();

function call(body: Record<string, unknown>, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${server.url}/v1/tts/stream/with-timestamp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.key}`,
      'content-type': 'application/json',
      model: 's1',
      ...headers,
    },
    body: JSON.stringify({ text: TEXT, seed: 1, format: 'pcm', sample_rate: RATE, ...body }),
  });
}

async function timedSpeech(body: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
  const response = await call(body, headers);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  const blocks = (await response.text()).split('\n\n').slice(0, -1);
  const events = blocks.map((block) => JSON.parse(block.replace(/^data: /, '')) as Event);
  const audio = Buffer.concat(events.map((event) => Buffer.from(event.audio_base64, 'base64')));
  return { events, audio };
}

/** Absolute times, as a client computes them: the last alignment of each chunk counts. */
function wordsOf(events: readonly Event[]): Segment[] {
  const chunks = new Map<number, Segment[]>();
  for (const { alignment, chunk_seq, chunk_audio_offset_sec: offset } of events) {
    if (alignment === null) continue;
    const place = (segment: Segment) => ({
      ...segment,
      start: offset + segment.start,
      end: offset + segment.end,
    });
    chunks.set(chunk_seq, alignment.segments.map(place));
  }
  return [...chunks.values()].flat();
}

function samplesOf(pcm: Buffer): Float32Array {
  return Float32Array.from({ length: pcm.length / 2 }, (_, index) => pcm.readInt16LE(2 * index) / 32768);
}

test('the audio of all events is the file of /v1/tts, and every event has all five keys', async () => {
  for (const format of ['mp3', 'opus']) {
    const body = { format, sample_rate: null };
    const { events, audio } = await timedSpeech(body);
    const plain = await server.speak({ text: TEXT, seed: 1, ...body });
    // An Ogg stream has a number of its own, so only its length can be compared.
    const file = Buffer.from(await plain.arrayBuffer());
    if (format === 'mp3') assert.ok(file.equals(audio));
    else assert.equal(file.length, audio.length);
    for (const event of events) {
      assert.deepEqual(Object.keys(event).sort(), [
        'alignment',
        'audio_base64',
        'chunk_audio_offset_sec',
        'chunk_seq',
        'content',
      ]);
    }
  }
});

const WRITTEN: readonly { title: string; reference_id: string | string[]; text: string; words: string }[] = [
  { title: 'a Kokoro voice', reference_id: 'af_heart', text: TEXT, words: WORDS },
  { title: 'a VITS voice', reference_id: 'libritts-712', text: TEXT, words: WORDS },
  {
    title: 'a VITS voice that acts',
    reference_id: 'libritts-712',
    text: "(excited) Mrs. Jones, No. 7, (whispering) met us near St. Paul's on 3/4/2021 (break) at 21°C.",
    words: "Mrs.|Jones|No.|7|met|us|near|St.|Paul's|on|3/4/2021|at|21|°C",
  },
  {
    title: 'a VITS voice that laughs, stresses and is given sounds',
    reference_id: 'libritts-712',
    text: 'I (emphasis) never said “£3.5 million”; [laughing] <|phoneme_start|>AY1<|phoneme_end|> owe 50% 🙂, i.e. ½.',
    words: 'I|never|said|£3.5 million|AY1|owe|50|%|i.e.|½',
  },
  {
    title: 'a VITS voice that reads SSML',
    reference_id: 'libritts-712',
    text: '<speak>Pay <sub alias="doctor">Dr.</sub> No 42 &amp; go <break time="300ms"/> <prosody rate="fast">in 2 days</prosody>.</speak>',
    words: 'Pay|Dr.|No|42|&amp;|go|in|2|days',
  },
  {
    title: 'VITS and Kokoro voices in turns',
    reference_id: ['libritts-712', 'libritts-363', 'af_heart'],
    text: '<|speaker:0|>It is 7:45, Mr. Lee! <|speaker:1|>[surprised] Already? <|speaker:2|>You owe 1,250 euros.',
    words: 'It|is|7:45|Mr.|Lee|Already|You|owe|1,250|euros',
  },
];

for (const { title, reference_id, text, words } of WRITTEN) {
  test(`the segments of ${title} are the words as they are written, in order and without overlap`, async () => {
    const model = Array.isArray(reference_id) ? 's2-pro' : 's1';
    const { events, audio } = await timedSpeech({ text, reference_id }, { model });
    const segments = wordsOf(events);
    assert.equal(segments.map((word) => word.text).join('|'), words);
    let [last, lastChar] = [0, 0];
    for (const { text: word, start, end, char_start, char_end } of segments) {
      assert.equal(text.slice(char_start, char_end), word);
      assert.ok(start >= last && end > start, `${word} from ${start} to ${end}, after ${last}`);
      assert.ok(char_start >= lastChar, `${word} stands before what was said before it`);
      [last, lastChar] = [end, char_end];
    }
    assert.ok(last <= audio.length / 2 / RATE);
    for (const [index, event] of events.entries()) {
      const previous = events[index - 1] ?? event;
      assert.ok(event.chunk_seq >= previous.chunk_seq);
      assert.ok(event.chunk_audio_offset_sec >= previous.chunk_audio_offset_sec);
      assert.ok(text.includes(event.content));
    }
  });
}

test('a word after a pause begins where the sound does', async () => {
  const text = 'Tea.\n\nCoffee!\n\nBananas?\n\nPotatoes.\n\nDinner.\n\nTomorrow.\n\nPerhaps.';
  const { events, audio } = await timedSpeech({ text });
  const samples = samplesOf(audio);
  const level = (seconds: number) => {
    const from = Math.max(0, Math.round((seconds - 0.005) * RATE));
    return Math.sqrt(samples.subarray(from, from + 240).reduce((sum, value) => sum + value * value, 0) / 240);
  };
  const errorsMs = wordsOf(events).map(({ start }) => {
    let onset = Math.max(0, start - 0.2);
    while (onset < start + 0.2 && level(onset) < 0.01) onset += 0.001;
    return Math.abs(onset - start) * 1000;
  });
  const median = errorsMs.sort((a, b) => a - b)[errorsMs.length >> 1]!;
  assert.ok(median <= 20, `median error ${median} ms of ${errorsMs.map(Math.round)}`);
});

test('the shapes of the mouth come with the words when they are asked for', async () => {
  const { events } = await timedSpeech({ text: 'Bob may follow.', visemes: true });
  const shapes = wordsOf(events).map(
    ({ text, visemes }) => `${text}: ${visemes?.map(({ viseme }) => viseme).join(' ')}`,
  );
  assert.deepEqual(shapes, ['Bob: PP aa PP', 'may: PP aa', 'follow: FF aa nn oh']);
  const { events: plain } = await timedSpeech({ text: 'Bob.' });
  assert.ok(wordsOf(plain).every((word) => !('visemes' in word)));
});

test('captions of the whole text come in the format that is asked for', async () => {
  const vtt = await call({}, { accept: 'text/vtt' });
  assert.equal(vtt.headers.get('content-type'), 'text/vtt; charset=utf-8');
  const text = await vtt.text();
  assert.match(text, /^WEBVTT\n\n00:00:00\.\d{3} --> 00:00:0\d\.\d{3}\nDr\. Smith paid \$18\.50/);
  assert.match(text, /“It’s only 3:15 p\.m\.,”\s+he said; nobody laughed!\n\n$/);
  const srt = await call({}, { accept: 'application/x-subrip' });
  assert.equal(srt.headers.get('content-type'), 'application/x-subrip; charset=utf-8');
  assert.match(await srt.text(), /^1\n00:00:00,\d{3} --> 00:00:0\d,\d{3}\nDr\. Smith/);
});

test('speakers take turns in their own voices, equally loud, whatever engine they need', async () => {
  const text =
    '<|speaker:0|>Did you see the boat come home last night?<|speaker:1|>I did, and nobody was in it at all.<|speaker:0|>Are you quite sure about that?';
  const reference_id = ['af_heart', 'libritts-500'];
  const { events, audio } = await timedSpeech({ text, reference_id }, { model: 's2-pro' });
  const samples = samplesOf(audio);
  const offsets = [...new Set(events.map((event) => event.chunk_audio_offset_sec))];
  assert.equal(offsets.length, 3);
  const turns = offsets.map((from, index) =>
    samples.subarray(from * RATE, (offsets[index + 1] ?? 99) * RATE),
  );
  const [first, second, third] = turns.map((turn) => measureLoudness(turn, RATE)) as [number, number, number];
  for (const other of [second, third]) {
    assert.ok(Math.abs(first - other) < 2.5, `${first} LUFS beside ${other}`);
  }
  assert.equal(
    wordsOf(events)
      .map((word) => word.text)
      .join(' '),
    text
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/[,.?]/g, '')
      .trim(),
  );
});

test('a speaker without a voice is refused', async () => {
  const body = { text: '<|speaker:2|>Hello.', reference_id: ['af_heart', 'am_michael'] };
  const response = await call(body, { model: 's2-pro' });
  assert.equal(response.status, 400);
  assert.equal(response.headers.get('x-fish-error-code'), 'speaker_without_voice');
});
