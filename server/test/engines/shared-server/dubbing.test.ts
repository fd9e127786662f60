import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useRealServer } from '../../support/servers/shared-real-server.ts';

/** MYNAH_TEST_DUB_CUES: number of captions. */
const COUNT = Number(process.env.MYNAH_TEST_DUB_CUES ?? 3);
const RATE_HZ = 24_000;
const SPEECH_LEVEL = 32_768 * 10 ** (-40 / 20);
/** Seconds per character: from a slow reading rate to one that needs acceleration. */
const PACES = [0.09, 0.062, 0.07];
const SENTENCES = [
  'The little boat came home at last.',
  'Nobody on the shore had seen it leave, and nobody asked where it had been.',
  'My sister opened the window and listened to the rain.',
  'The captain wrote a long letter to his brother in the city.',
  'We waited for an hour, but the train did not come.',
];

interface Cue {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function makeCues(): Cue[] {
  let at = 0.5;
  return Array.from({ length: COUNT }, (_, index) => {
    const text = SENTENCES[index % SENTENCES.length]!;
    const start = at;
    const end = start + 0.4 + text.length * PACES[index % PACES.length]!;
    at = end + 0.6;
    return { start, end, text };
  });
}

function stamp(seconds: number): string {
  return new Date(Math.round(seconds * 1000)).toISOString().slice(11, 23).replace('.', ',');
}

/** Word error rate by edit distance. */
function wordErrors(expected: string, heard: string): number {
  const wordsOf = (text: string) => text.toLowerCase().match(/[a-z']+/g) ?? [];
  const [a, b] = [wordsOf(expected), wordsOf(heard)];
  let row = b.map((_, index) => index + 1);
  a.forEach((word, i) => {
    let diagonal = i;
    let left = i + 1;
    row = row.map((above, j) => {
      const cost = Math.min(above + 1, left + 1, diagonal + (word === b[j] ? 0 : 1));
      diagonal = above;
      left = cost;
      return cost;
    });
  });
  return (row.at(-1) ?? a.length) / a.length;
}

const server = useRealServer();

test('every caption starts within 50 ms of its time, ends inside it, and is understood as well as plain speech', async (t) => {
  const cues = makeCues();
  const captions = cues
    .map(({ start, end, text }, index) => `${index + 1}\n${stamp(start)} --> ${stamp(end)}\n${text}\n`)
    .join('\n');
  const headers = {
    authorization: `Bearer ${server.key}`,
    'content-type': 'application/json',
    model: 's1',
  };
  const body = { format: 'pcm', sample_rate: RATE_HZ, seed: 3 };
  const response = await fetch(`${server.url}/v1/dub`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ ...body, captions }),
  });
  assert.equal(response.status, 200);
  const dubbed = Buffer.from(await response.arrayBuffer());
  const samples = new Int16Array(dubbed.buffer, dubbed.byteOffset, dubbed.length >> 1);
  const isSpeech = (sample: number) => Math.abs(sample) > SPEECH_LEVEL;
  let worstStartMs = 0;
  for (const [index, { start, end }] of cues.entries()) {
    const from = index === 0 ? 0 : (cues[index - 1]!.end + start) / 2;
    const to = index === cues.length - 1 ? samples.length / RATE_HZ : (end + cues[index + 1]!.start) / 2;
    const part = samples.subarray(Math.round(from * RATE_HZ), Math.round(to * RATE_HZ));
    const first = from + part.findIndex(isSpeech) / RATE_HZ;
    const last = from + part.findLastIndex(isSpeech) / RATE_HZ;
    worstStartMs = Math.max(worstStartMs, 1000 * Math.abs(first - start));
    assert.ok(Math.abs(first - start) <= 0.05, `caption ${index + 1} starts at ${first}, not ${start}`);
    assert.ok(last <= end, `caption ${index + 1} ends at ${last}, after ${end}`);
  }
  const text = cues.map((cue) => cue.text).join(' ');
  const plain = Buffer.from(await (await server.speak({ ...body, text })).arrayBuffer());
  const errorsOf = async (pcm: Buffer) => wordErrors(text, await transcribe(server, pcm));
  const [dubErrors, plainErrors] = [await errorsOf(dubbed), await errorsOf(plain)];
  t.diagnostic(
    `${COUNT} captions: worst start ${worstStartMs.toFixed(0)} ms; word error rate ${(100 * dubErrors).toFixed(1)} %, undubbed ${(100 * plainErrors).toFixed(1)} %`,
  );
  assert.ok(dubErrors <= plainErrors + 0.03);
});

async function transcribe(
  server: { readonly url: string; readonly key: string },
  pcm: Buffer,
): Promise<string> {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + pcm.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(RATE_HZ, 24);
  header.writeUInt32LE(2 * RATE_HZ, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(pcm.length, 40);
  const body = new FormData();
  body.append('audio', new Blob([header, new Uint8Array(pcm)]), 'dub.wav');
  const headers = { authorization: `Bearer ${server.key}` };
  const response = await fetch(`${server.url}/v1/asr`, { method: 'POST', headers, body });
  return ((await response.json()) as { text: string }).text;
}
