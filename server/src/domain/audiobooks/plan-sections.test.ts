import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { planChapters } from './plan-sections.ts';

const plain = (text: string) => text.replace(/\s+/g, '');

test('sections keep all text in order and stay below their limit', async () => {
  const paragraph = fc.oneof(
    fc.lorem({ maxCount: 300 }),
    fc.string({ minLength: 1, maxLength: 4000 }),
    fc.constant('漢'.repeat(3000)),
    fc.constant('🙂'.repeat(1500)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(paragraph, { maxLength: 10 }), async (texts) => {
      const paragraphs = texts.map((text) => text.trim()).filter((text) => text !== '');
      const [chapter] = await planChapters([{ title: undefined, paragraphs }]);
      const { sections } = chapter!;
      assert.equal(plain(sections.map(({ text }) => text).join('')), plain(paragraphs.join('')));
      for (const { text } of sections) {
        assert.ok(text.length <= 1200 && text !== '');
      }
    }),
  );
});

test('a character outside of the basic plane is not divided', async () => {
  const [chapter] = await planChapters([{ title: undefined, paragraphs: [`a${'🙂'.repeat(1500)}`] }]);
  for (const { text } of chapter!.sections) assert.equal(Buffer.from(text).toString(), text);
});

test('a chapter begins with its title and ends with a long pause', async () => {
  const [chapter] = await planChapters([{ title: 'One', paragraphs: ['Text.', 'More.'] }]);
  assert.equal(chapter!.title, 'One');
  assert.deepEqual(chapter!.sections, [{ text: 'One.\n\nText.\n\nMore.', pauseSeconds: 2 }]);
});

test('long chapters are divided at paragraphs, long paragraphs at sentences', async () => {
  const sentence = `${'word '.repeat(99)}end.`;
  const [chapter] = await planChapters([
    { title: undefined, paragraphs: [sentence, sentence, sentence, Array(4).fill(sentence).join(' ')] },
  ]);
  assert.deepEqual(
    chapter!.sections.map(({ text, pauseSeconds }) => [text.length, pauseSeconds]),
    [
      [1000, 0.75],
      [499, 0.75],
      [999, 0.4],
      [999, 2],
    ],
  );
});

test('a book of many paragraphs is planned in turns, between which other work runs', async () => {
  let turns = 0;
  let isPlanned = false;
  const count = () => {
    turns += 1;
    if (!isPlanned) setImmediate(count);
  };
  setImmediate(count);
  await planChapters([{ title: undefined, paragraphs: Array.from({ length: 300_000 }, () => 'a') }]);
  isPlanned = true;
  assert.ok(turns >= 2, `${turns}`);
});
