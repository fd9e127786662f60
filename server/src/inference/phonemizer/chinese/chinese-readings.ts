import { pinyin } from 'pinyin-pro';

/** One character and its pinyin syllable with a tone number, empty where the character has none. */
export interface CharacterReading {
  readonly character: string;
  readonly syllable: string;
}

/** Context rules for polyphonic characters. The reading applies to the last character of a match. */
const CORRECTIONS: readonly (readonly [pattern: RegExp, syllable: string])[] = [
  // 只 is the adverb "only" unless it counts animals or one of a pair.
  [/(?<![一二两兩三四五六七八九十百千万几幾这這那每多半])只(?!身)/gu, 'zhi3'],
  [/(?<=[一二两兩三四五六七八九十百千万几幾这這那每])只(?![要有是能好会不想])/gu, 'zhi1'],
  // 长 as "to grow, to look", not "long".
  [/[长長](?=[得高大胖满滿出成])/gu, 'zhang3'],
  // 得 after a verb or an adjective is the particle; after a pronoun it is "must".
  [
    /(?<=[跑走说說写寫做吃长長看听聽飞飛玩睡起来來过過好快慢高多少热熱冷忙累美变變笑哭唱跳学學打开開])得(?![到出知分奖獎罪胜勝益意名病])/gu,
    'de5',
  ],
  [
    /(?<=[我你他她它们們您还還就都也])得(?=[走去回等赶趕先马馬快想做看听聽说說写寫买買上下学學去给給找把在要再多好])/gu,
    'dei3',
  ],
  // 还 as "to give back".
  [/[还還](?=[款钱錢债債书書清给給我你他她](?![是有在没沒要会會能]))/gu, 'huan2'],
  // 地 after an adverb of repeated characters, or of two before a verb of seeing, saying, going.
  [/(.)\1地/gu, 'de5'],
  [
    /(?<=[兴興真速心静靜力烈极極情快细細密默然常微切])地(?=[跑走看说說问問答做写寫笑哭听聽想等站坐飞飛工学學告回完进進离離])/gu,
    'de5',
  ],
  // 教 as "to teach", 数 as "to count".
  [/教(?=[我你您他她它书書])/gu, 'jiao1'],
  [/[数數](?=[一了不][数數下清])/gu, 'shu3'],
  [/[数數]一[数數]/gu, 'shu3'],
  // 了 after 不 or 得 at the end of a verb is "able".
  [/(?<=[受办辦做吃走去来來决決忘少免好完到][不得])了/gu, 'liao3'],
];

/** The reading of each character, with tone sandhi of 一 and 不. */
export function readCharacters(text: string): readonly CharacterReading[] {
  const characters = pinyin(text, { type: 'all', toneType: 'num' });
  const corrected = corrections(text);
  let index = 0;
  return characters.map(({ origin, pinyin: syllable }) => {
    const reading = corrected.get(index) ?? syllable;
    index += origin.length;
    return { character: origin, syllable: reading };
  });
}

function corrections(text: string): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const [pattern, syllable] of CORRECTIONS) {
    for (const match of text.matchAll(pattern)) found.set(match.index + match[0].length - 1, syllable);
  }
  return found;
}
