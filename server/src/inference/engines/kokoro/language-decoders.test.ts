import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KokoroDecoder } from './decoder.ts';
import { LanguageDecoders } from './language-decoders.ts';

/** A decoder that records whether it was closed. */
function createDecoder(): KokoroDecoder & { isClosed: boolean } {
  return {
    isClosed: false,
    contextFrames: 8,
    whisperGain: 1,
    begin: () => assert.fail('nothing is decoded'),
    async close() {
      this.isClosed = true;
    },
  };
}

test('English has its own decoder; the other is opened once, when another language is spoken', async () => {
  const [english, other] = [createDecoder(), createDecoder()];
  let opened = 0;
  const decoders = new LanguageDecoders(english, async () => {
    opened++;
    return other;
  });
  assert.equal(await decoders.get('en-US'), english);
  assert.equal(await decoders.get('en-GB'), english);
  assert.equal(opened, 0);
  assert.deepEqual(await Promise.all([decoders.get('es'), decoders.get('ja')]), [other, other]);
  assert.equal(opened, 1);
  await decoders.close();
  assert.ok(english.isClosed && other.isClosed);
});

test('a decoder that could not be opened is opened again', async () => {
  let opened = 0;
  const other = createDecoder();
  const decoders = new LanguageDecoders(createDecoder(), async () => {
    if (opened++ === 0) throw new Error('no memory');
    return other;
  });
  await assert.rejects(decoders.get('fr'));
  assert.equal(await decoders.get('fr'), other);
});

test('without another decoder one serves all languages', async () => {
  const english = createDecoder();
  const decoders = new LanguageDecoders(english);
  assert.equal(await decoders.get('zh'), english);
  await decoders.close();
  assert.ok(english.isClosed);
});
