/** The text between two speaker tags. */
export interface DialogueTurn {
  /** Number in the preceding tag; undefined before the first tag. */
  readonly speaker: number | undefined;
  /** UTF-16 offsets without the tag, half open. */
  readonly start: number;
  readonly end: number;
}

const SPEAKER_TAG = /<\|\s{0,3}speaker:(\d{1,4})\s{0,3}\|>/gi;

/** Splits a text at its speaker tags (`<|speaker:1|>`). Blank turns are omitted. */
export function splitDialogueTurns(text: string): DialogueTurn[] {
  const turns: DialogueTurn[] = [];
  let speaker: number | undefined;
  let start = 0;
  const close = (end: number) => {
    if (/\S/.test(text.slice(start, end))) turns.push({ speaker, start, end });
  };
  for (const tag of text.matchAll(SPEAKER_TAG)) {
    close(tag.index);
    speaker = Number(tag[1]);
    start = tag.index + tag[0].length;
  }
  close(text.length);
  return turns;
}
