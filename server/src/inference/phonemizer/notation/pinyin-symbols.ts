const INITIALS: Readonly<Record<string, string>> = {
  b: 'p',
  p: 'pʰ',
  m: 'm',
  f: 'f',
  d: 't',
  t: 'tʰ',
  n: 'n',
  l: 'l',
  g: 'k',
  k: 'kʰ',
  h: 'x',
  j: 'ʨ',
  q: 'ʨʰ',
  x: 'ɕ',
  zh: 'ꭧ',
  ch: 'ꭧʰ',
  sh: 'ʂ',
  r: 'ɻ',
  z: 'ʦ',
  c: 'ʦʰ',
  s: 's',
};

/** Finals in full spelling (uei, iou, uen). The tone arrow replaces the `0`. */
const FINALS: Readonly<Record<string, string>> = {
  a: 'a0',
  ai: 'ai0',
  an: 'a0n',
  ang: 'a0ŋ',
  ao: 'au0',
  e: 'ɤ0',
  ei: 'ei0',
  en: 'ə0n',
  eng: 'ə0ŋ',
  i: 'i0',
  ia: 'ja0',
  ian: 'jɛ0n',
  iang: 'ja0ŋ',
  iao: 'jau0',
  ie: 'je0',
  in: 'i0n',
  ing: 'i0ŋ',
  iong: 'jʊ0ŋ',
  iou: 'jou0',
  o: 'wo0',
  ong: 'ʊ0ŋ',
  ou: 'ou0',
  u: 'u0',
  ua: 'wa0',
  uai: 'wai0',
  uan: 'wa0n',
  uang: 'wa0ŋ',
  uei: 'wei0',
  uen: 'wə0n',
  ueng: 'wə0ŋ',
  uo: 'wo0',
  ü: 'y0',
  üe: 'ɥe0',
  üan: 'ɥɛ0n',
  ün: 'y0n',
};

/** Syllables that are not initial plus final. */
const WHOLE: Readonly<Record<string, string>> = {
  er: 'ɚ0',
  o: 'ɔ0',
  yo: 'jɔ0',
  ê: 'ɛ0',
  m: 'm0',
  n: 'n0',
  ng: 'ŋ0',
  hm: 'hm0',
  hng: 'hŋ0',
};

/** Kokoro's arrows for tones one to four. The neutral tone has none. */
const TONES = ['', '→', '↗', '↓', '↘', ''];

/** Expands spellings with y and w and shortened finals: yan is ian, wei is uei, jun is jün. */
function spellOut(initial: string, final: string): string {
  if (initial === '') {
    if (final.startsWith('yu')) return `ü${final.slice(2)}`;
    if (final.startsWith('yi')) return final.slice(1);
    if (final.startsWith('y')) return final === 'you' ? 'iou' : `i${final.slice(1)}`;
    if (final.startsWith('wu')) return final.slice(1);
    if (final.startsWith('w')) return { wei: 'uei', wen: 'uen' }[final] ?? `u${final.slice(1)}`;
    return final;
  }
  if (/^[jqx]$/.test(initial) && final.startsWith('u')) return `ü${final.slice(1)}`;
  if (final.startsWith('v')) return `ü${final.slice(1)}`;
  return { iu: 'iou', ui: 'uei', un: 'uen', ue: 'üe' }[final] ?? final;
}

/** A pinyin syllable with its tone number ("zhong1", "lü4", "de5" or "de0") in Kokoro's symbols. */
export function syllableSymbols(pinyin: string): string | undefined {
  const match = /^(\D+?)([0-5])?$/.exec(pinyin);
  if (match === null) return undefined;
  const spelling = match[1]!;
  const whole = WHOLE[spelling] ?? initialAndFinal(spelling);
  return whole?.replace('0', TONES[Number(match[2] ?? 0)]!);
}

function initialAndFinal(spelling: string): string | undefined {
  const [, initial = '', rest = ''] = /^(zh|ch|sh|[bpmfdtnlgkhjqxrzcs])?(.*)$/.exec(spelling)!;
  const final = spellOut(initial, rest);
  if (final === 'i' && /^(?:[zcs]h?|r)$/.test(initial)) return `${INITIALS[initial]}ɨ0`;
  const symbols = FINALS[final];
  return symbols === undefined ? undefined : (INITIALS[initial] ?? '') + symbols;
}
