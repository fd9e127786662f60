const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]/g;

/** Width of a text in columns: Chinese, Japanese and Korean characters take two. */
export function displayWidth(text: string): number {
  return text.length + (text.match(WIDE)?.length ?? 0);
}
