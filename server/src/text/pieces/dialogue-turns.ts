/** A stretch of text that one speaker says. */
export interface DialogueTurn {
  /** The number of the tag before it; undefined before the first tag. */
  readonly speaker: number | undefined;
  /** The stretch without its tag: UTF-16 offsets, half open. */
  readonly start: number;
  readonly end: number;
}

const SPEAKER_TAG = /<\|\s{0,3}speaker:(\d{1,4})\s{0,3}\|>/gi;

/** Parts a text at its speaker tags (`<|speaker:1|>`). Stretches without anything but space are left out. */
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
