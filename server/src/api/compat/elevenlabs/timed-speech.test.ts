import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countEventLoopTurns } from '../../../../test/support/servers/event-loop-turns.ts';
import type { TimedAudio } from '../../../domain/speech/timing/timed-audio.ts';
import type { ResponseFormat } from '../metered-compat-speech.ts';
import { JSON_WITH_TIMESTAMPS, NDJSON_WITH_TIMESTAMPS } from './timed-speech.ts';

interface Timed {
  readonly audio_base64: string;
  readonly alignment: Record<string, readonly unknown[]> | null;
  readonly normalized_alignment: Record<string, readonly unknown[]> | null;
}

const CHARACTERS = 'characters';

/** Audio of a text with one word, whose times become known with the second part. */
async function* speech(word: string): AsyncGenerator<TimedAudio> {
  const words = [
    { text: word, startSeconds: 0, endSeconds: word.length, charStart: 0, charEnd: word.length },
  ];
  yield { audio: new Uint8Array([1, 2, 3, 4]), timing: undefined };
  yield {
    audio: new Uint8Array([5]),
    timing: {
      sequence: 0,
      text: word,
      charStart: 0,
      speaker: undefined,
      offsetSeconds: 0,
      durationSeconds: word.length,
      words,
      marks: [],
    },
  };
}

/** Reads a response, and counts the turns of the event loop that were free for other work. */
async function read(format: ResponseFormat, word: string, text: string) {
  const parts: Uint8Array[] = [];
  const turns = await countEventLoopTurns(async () => {
    for await (const part of format.write(speech(word), { text, owner: 'acc' })) parts.push(part);
  });
  const longest = Math.max(...parts.map((part) => part.length));
  return { content: Buffer.concat(parts).toString(), turns, longest };
}

test('the times of a response are those of all characters, in JSON and in lines', async () => {
  const text = 'Hey “you”!';
  const { content } = await read(JSON_WITH_TIMESTAMPS, 'Hey', text);
  const body = JSON.parse(content) as Timed;
  assert.equal(body.audio_base64, Buffer.from([1, 2, 3, 4, 5]).toString('base64'));
  assert.equal(body.alignment?.[CHARACTERS]?.join(''), text);
  assert.deepEqual(body.alignment?.character_start_times_seconds?.slice(0, 4), [0, 1, 2, 3]);
  assert.deepEqual(body.alignment?.character_end_times_seconds?.slice(0, 3), [1, 2, 3]);
  assert.deepEqual(body.normalized_alignment, body.alignment);

  const lines = (await read(NDJSON_WITH_TIMESTAMPS, 'Hey', text)).content.trim().split('\n');
  const parsed = lines.map((line) => JSON.parse(line) as Timed);
  assert.equal(parsed[0]?.alignment, null);
  assert.equal(parsed.flatMap(({ alignment }) => alignment?.[CHARACTERS] ?? []).join(''), text);
  assert.deepEqual(parsed[2]?.normalized_alignment, parsed[2]?.alignment);
  const audio = parsed.map(({ audio_base64 }) => Buffer.from(audio_base64, 'base64'));
  assert.deepEqual([...Buffer.concat(audio)], [1, 2, 3, 4, 5]);
});

for (const [name, format] of Object.entries({ JSON_WITH_TIMESTAMPS, NDJSON_WITH_TIMESTAMPS })) {
  test(`${name}: the times of a long text are written in parts, and leave turns to other requests`, async () => {
    const word = 'a'.repeat(100_000);
    const { content, turns, longest } = await read(format, word, word + '\n'.repeat(90_000));
    assert.ok(content.length > 5_000_000);
    assert.ok(longest < 200_000, `a part of ${longest} bytes`);
    assert.ok(turns >= 5, `${turns} turns`);
  });
}
