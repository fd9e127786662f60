import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpeechMessages } from './speech-messages.ts';

/** A frame of audio with the times of one word per second. */
function frame(word: string, index: number, charStart: number) {
  return {
    event: 'audio',
    audio: new Uint8Array(4),
    time: 0,
    content: word,
    chunk_seq: index,
    chunk_audio_offset_sec: index,
    alignment: {
      audio_duration: 1,
      segments: [
        { text: word, start: 0, end: 0.5, char_start: charStart, char_end: charStart + word.length },
      ],
    },
  } as const;
}

function alignmentsOf(timeOrigin: 'text' | 'message' | undefined) {
  const messages = new SpeechMessages({ timeOrigin, textMaxChars: 100 });
  messages.addText('One two six ');
  const frames = [frame('One', 0, 0), frame('two', 1, 4), frame('six', 2, 8)];
  const encoded = [...frames, { event: 'finish', reason: 'stop', time: 0 } as const].flatMap((each) => [
    ...messages.encode(each),
  ]);
  assert.deepEqual(encoded.at(-1), { isFinal: true });
  return encoded.flatMap((message) =>
    'alignment' in message && message.alignment ? [message.alignment] : [],
  );
}

test('times count from the start of the text, or from the end of the previous message', () => {
  const fromText = alignmentsOf('text');
  const fromMessage = alignmentsOf('message');
  for (const alignments of [fromText, fromMessage]) {
    assert.equal(alignments.flatMap(({ chars }) => chars).join(''), 'One two six ');
  }
  assert.ok(fromMessage.length > 1);
  assert.deepEqual(
    fromMessage.map(({ charStartTimesMs }) => charStartTimesMs[0]),
    fromMessage.map(() => 0),
  );
  // A client that adds the ends of messages up gets the times from the start of the text.
  let offsetMs = 0;
  const summed = fromMessage.flatMap(({ charStartTimesMs, charDurationsMs }) => {
    const starts = charStartTimesMs.map((start) => start + offsetMs);
    offsetMs += charStartTimesMs.at(-1)! + charDurationsMs.at(-1)!;
    return starts;
  });
  const expected = fromText.flatMap(({ charStartTimesMs }) => charStartTimesMs);
  for (const [index, start] of summed.entries()) assert.ok(Math.abs(start - expected[index]!) <= 2);
});

test('without times the text is not kept', () => {
  const messages = new SpeechMessages({ timeOrigin: undefined, textMaxChars: 4 });
  messages.addText('longer than four');
  assert.deepEqual([...messages.encode({ event: 'finish', reason: 'stop', time: 0 })], [{ isFinal: true }]);
});
