const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The nesting depth of a JSON text. Strings are skipped quickly, so that base64 files cost little. */
export function jsonDepth(json: Buffer): number {
  let [depth, deepest] = [0, 0];
  for (let at = 0; at < json.length; at++) {
    const code = json[at] as number;
    if (code === QUOTE) at = endOfString(json, at + 1);
    else if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x5d || code === 0x7d) depth--;
  }
  return deepest;
}

/** The index of the closing quote of the string whose content starts at `from`. */
function endOfString(json: Buffer, from: number): number {
  for (let end = json.indexOf(QUOTE, from); end >= 0; end = json.indexOf(QUOTE, end + 1)) {
    let escapes = 0;
    while (end - 1 - escapes >= from && json[end - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return json.length;
}
