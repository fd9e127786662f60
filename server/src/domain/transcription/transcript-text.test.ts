import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinTexts, mainLanguage, transcriptText } from './transcript-text.ts';

const segment = (text: string, language = 'en') => ({
  text,
  language,
  startSeconds: 0,
  endSeconds: 1,
  confidence: 1,
  words: [],
});

test('texts are joined as their language is written', () => {
  assert.equal(joinTexts([segment('Hello.'), segment(' '), segment('How are you?')]), 'Hello. How are you?');
  assert.equal(joinTexts([segment('你好。', 'zh'), segment('再见。', 'zh')]), '你好。再见。');
  assert.equal(joinTexts([segment('你好。', 'zh'), segment('Hello.')]), '你好。 Hello.');
  assert.equal(joinTexts([]), '');
});

test('speakers are tagged when there are several', () => {
  const turn = (speaker: number, text: string) => ({ speaker, text, startSeconds: 0, endSeconds: 1 });
  const segments = [segment('Hello.'), segment('Hi!')];
  assert.equal(
    transcriptText(segments, [turn(0, 'Hello.'), turn(1, 'Hi!')]),
    '<|speaker:0|>Hello.<|speaker:1|>Hi!',
  );
  assert.equal(transcriptText(segments, [turn(0, 'Hello.'), turn(0, 'Hi!')]), 'Hello. Hi!');
  assert.equal(transcriptText(segments, undefined), 'Hello. Hi!');
});

test('the main language is the one with the most text', () => {
  assert.equal(mainLanguage([segment('Oui.', 'fr'), segment('Yes indeed, I am.')]), 'en');
  assert.equal(mainLanguage([]), undefined);
});
