import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isKokoroSymbol } from '../tokens/kokoro-symbols.ts';
import { syllableSymbols } from './pinyin-symbols.ts';

const SYLLABLES = [
  ['jin1', 'ʨi→n'],
  ['tian1', 'tʰjɛ→n'],
  ['zhong1', 'ꭧʊ→ŋ'],
  ['guo2', 'kwo↗'],
  ['hao3', 'xau↓'],
  ['shi4', 'ʂɨ↘'],
  ['chi1', 'ꭧʰɨ→'],
  ['zi5', 'ʦɨ'],
  ['de0', 'tɤ'],
  ['er4', 'ɚ↘'],
  ['yi1', 'i→'],
  ['you3', 'jou↓'],
  ['liu4', 'ljou↘'],
  ['wei4', 'wei↘'],
  ['dui4', 'twei↘'],
  ['wen4', 'wə↘n'],
  ['lun2', 'lwə↗n'],
  ['wu3', 'u↓'],
  ['wo3', 'wo↓'],
  ['bo1', 'pwo→'],
  ['o4', 'ɔ↘'],
  ['yu3', 'y↓'],
  ['xue2', 'ɕɥe↗'],
  ['yuan2', 'ɥɛ↗n'],
  ['quan2', 'ʨʰɥɛ↗n'],
  ['jun1', 'ʨy→n'],
  ['lü4', 'ly↘'],
  ['lve4', 'lɥe↘'],
  ['nü3', 'ny↓'],
  ['yong4', 'jʊ↘ŋ'],
  ['weng1', 'wə→ŋ'],
  ['ren2', 'ɻə↗n'],
  ['ri4', 'ɻɨ↘'],
  ['ng4', 'ŋ↘'],
] as const;

test('pinyin syllables are written in the symbols of the model', () => {
  for (const [pinyin, symbols] of SYLLABLES) assert.equal(syllableSymbols(pinyin), symbols, pinyin);
});

test('text that is not a syllable has no symbols', () => {
  for (const text of ['', '3', 'x', 'zzz1', 'qwerty']) assert.equal(syllableSymbols(text), undefined, text);
});

test('every combination of initial and final has known symbols', () => {
  const initials = ['', ...'bpmfdtnlgkhjqxrzcs', 'zh', 'ch', 'sh'];
  const finals =
    'a ai an ang ao e ei en eng i ia ian iang iao ie in ing iong iu ong ou u ua uai uan uang ui un uo ü üe'.split(
      ' ',
    );
  for (const initial of initials) {
    for (const final of finals) {
      for (const symbol of syllableSymbols(`${initial}${final}4`) ?? '')
        assert.ok(isKokoroSymbol(symbol), symbol);
    }
  }
});
