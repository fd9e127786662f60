/**
 * Kokoro's symbols for each kana, in the notation of its training: fricatives and affricates have ɨ for u, consonants
 * before i are palatal. Pairs of a kana and its symbols.
 */
const TABLE = `
ア a イ i ウ ɯ エ e オ o ァ a ィ i ゥ ɯ ェ e ォ o
カ ka キ kʲi ク kɯ ケ ke コ ko キャ kʲa キュ kʲɨ キョ kʲo キェ kʲe クァ kᵝa クィ kᵝi クェ kᵝe クォ kᵝo
ガ ɡa ギ ɡʲi グ ɡɯ ゲ ɡe ゴ ɡo ギャ ɡʲa ギュ ɡʲɨ ギョ ɡʲo グァ ɡᵝa グィ ɡᵝi グェ ɡᵝe グォ ɡᵝo
サ sa シ ɕi ス sɨ セ se ソ so シャ ɕa シュ ɕɨ ショ ɕo シェ ɕe
ザ ʣa ジ ʥi ズ zɨ ゼ ʣe ゾ ʣo ジャ ʥa ジュ ʥɨ ジョ ʥo ジェ ʥe
タ ta チ ʨi ツ ʦɨ テ te ト to チャ ʨa チュ ʨɨ チョ ʨo チェ ʨe ツァ ʦa ツィ ʦʲi ツェ ʦe ツォ ʦo ティ tʲi テュ tʲɨ トゥ tɯ
ダ da ヂ ʥi ヅ zɨ デ de ド do ヂャ ʥa ヂュ ʥɨ ヂョ ʥo ディ dʲi デュ dʲɨ ドゥ dɯ
ナ na ニ ɲi ヌ nɯ ネ ne ノ no ニャ ɲa ニュ ɲɨ ニョ ɲo ニェ ɲe
ハ ha ヒ çi フ ɸɯ ヘ he ホ ho ヒャ ça ヒュ çɨ ヒョ ço ヒェ çe ファ ɸa フィ ɸʲi フェ ɸe フォ ɸo フュ ɸʲɨ フョ ɸʲo
バ ba ビ bʲi ブ bɯ ベ be ボ bo ビャ bʲa ビュ bʲɨ ビョ bʲo
パ pa ピ pʲi プ pɯ ペ pe ポ po ピャ pʲa ピュ pʲɨ ピョ pʲo
マ ma ミ mʲi ム mɯ メ me モ mo ミャ mʲa ミュ mʲɨ ミョ mʲo
ヤ ja ユ jɯ ヨ jo ャ ja ュ jɯ ョ jo イェ je
ラ ɾa リ ɾʲi ル ɾɯ レ ɾe ロ ɾo リャ ɾʲa リュ ɾʲɨ リョ ɾʲo
ワ βa ヮ βa ヰ i ヱ e ヲ o ウィ βi ウェ βe ウォ βo
ヴ vɯ ヴァ va ヴィ vʲi ヴェ ve ヴォ vo ヴュ bʲɨ ヴョ bʲo ヵ ka ヶ ke
`;

const SYMBOLS: ReadonlyMap<string, string> = new Map(
  TABLE.trim()
    .split(/\s+/)
    .flatMap((kana, index, all) => (index % 2 === 0 ? [[kana, all[index + 1]!] as const] : [])),
);

const SMALL = 'ァィゥェォャュョヮ';

/** Hiragana as katakana; anything else unchanged. */
export function toKatakana(text: string): string {
  return text.replace(/[ぁ-ゖ]/gu, (kana) => String.fromCharCode(kana.charCodeAt(0) + 0x60));
}

/** Whether the text is kana only, so that its reading is known. */
export function isKana(text: string): boolean {
  return /^[ぁ-ゖァ-ヺー]+$/u.test(text);
}

/** The morae in Kokoro's symbols. Characters other than katakana are omitted. */
export function moraSymbols(katakana: string): readonly string[] {
  const morae = katakana.match(/[ァ-ヺー][ァィゥェォャュョヮ]?/gu) ?? [];
  return morae.flatMap((mora, index) => {
    if (mora[0] === 'ン') return [nasalBefore(morae[index + 1]), ...rest(mora)];
    if (mora[0] === 'ッ') return ['ʔ', ...rest(mora)];
    if (mora[0] === 'ー') return ['ː', ...rest(mora)];
    return [wholeMora(mora)];
  });
}

/** A small kana without a base is a mora of its own. */
function rest(mora: string): string[] {
  return mora.length > 1 ? [SYMBOLS.get(mora[1]!)!] : [];
}

function wholeMora(mora: string): string {
  const known = SYMBOLS.get(mora);
  if (known !== undefined) return known;
  const head = SYMBOLS.get(mora[0]!) ?? '';
  return mora.length === 1 || !SMALL.includes(mora[1]!) ? head : head.slice(0, -1) + SYMBOLS.get(mora[1]!)!;
}

/** ン assimilates to the place of articulation of the following consonant in the word. */
function nasalBefore(next: string | undefined): string {
  const following = next === undefined ? '' : wholeMora(next);
  if (/^[mpb]/.test(following)) return 'm';
  if (/^[kɡ]/.test(following)) return 'ŋ';
  if (/^[ɲʨʥ]/.test(following)) return 'ɲ';
  return /^[ntdɾz]/.test(following) ? 'n' : 'ɴ';
}
