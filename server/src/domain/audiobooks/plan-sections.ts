import type { Chapter } from '../../books/book.ts';
import { Turns } from '../../books/turns.ts';

/** Text that is synthesized, charged and stored at once. A crash repeats at most the sections in progress. */
export interface Section {
  readonly text: string;
  /** Silence after its speech. */
  readonly pauseSeconds: number;
}

/** A chapter divided into sections. */
export interface PlannedChapter {
  readonly title: string;
  readonly sections: readonly Section[];
}

const SECTION_MAX_CHARS = 1200;
/** Speech ends with a tenth of a second of silence, which belongs to these pauses. */
const PAUSE_SECONDS = { sentence: 0.4, paragraph: 0.75, chapter: 2 } as const;
/** The numbers of marks are limited, so that the cost stays linear. */
const SENTENCE_END = /[.!?…。！？]{1,8}["'”’»)\]」』]{0,8}(?:\s+|(?<=[。！？」』]))/gu;

/** Divides the chapters of a book. The title of a chapter is its first sentence. Lets other work run in between. */
export async function planChapters(chapters: readonly Chapter[]): Promise<PlannedChapter[]> {
  const turns = new Turns();
  const planned: PlannedChapter[] = [];
  for (const [index, { title, paragraphs }] of chapters.entries()) {
    const heading = title === undefined ? undefined : endSentence(title);
    const sections = await planSections(heading, paragraphs, turns);
    planned.push({ title: title ?? `Part ${index + 1}`, sections });
  }
  return planned;
}

async function planSections(
  heading: string | undefined,
  paragraphs: readonly string[],
  turns: Turns,
): Promise<Section[]> {
  const sections: Section[] = [];
  let text = '';
  const add = (pause: keyof typeof PAUSE_SECONDS) => {
    if (text !== '') sections.push({ text, pauseSeconds: PAUSE_SECONDS[pause] });
    text = '';
  };
  const addParagraph = (paragraph: string) => {
    if (text !== '' && text.length + paragraph.length + 2 > SECTION_MAX_CHARS) add('paragraph');
    const parts = splitParagraph(paragraph);
    for (const [index, part] of parts.entries()) {
      if (index > 0) add('sentence');
      text = text === '' ? part : `${text}\n\n${part}`;
    }
  };
  if (heading !== undefined) addParagraph(heading);
  for (const paragraph of paragraphs) {
    addParagraph(paragraph);
    await turns.pause();
  }
  add('chapter');
  const last = sections.at(-1);
  if (last !== undefined) sections[sections.length - 1] = { ...last, pauseSeconds: PAUSE_SECONDS.chapter };
  return sections;
}

/** Divides a long paragraph at sentence ends, or at spaces. */
function splitParagraph(paragraph: string): string[] {
  if (paragraph.length <= SECTION_MAX_CHARS) return [paragraph];
  const parts: string[] = [];
  let rest = paragraph;
  while (rest.length > SECTION_MAX_CHARS) {
    const cut = lastEnd(rest) ?? lastSpace(rest) ?? safeCut(rest);
    parts.push(rest.slice(0, cut).trim());
    rest = rest.slice(cut).trim();
  }
  if (rest !== '') parts.push(rest);
  return parts;
}

function lastEnd(text: string): number | undefined {
  let end: number | undefined;
  for (const match of text.slice(0, SECTION_MAX_CHARS).matchAll(SENTENCE_END))
    end = match.index + match[0].length;
  return end;
}

function lastSpace(text: string): number | undefined {
  const at = text.lastIndexOf(' ', SECTION_MAX_CHARS);
  return at > 0 ? at : undefined;
}

/** A position that does not divide a surrogate pair. */
function safeCut(text: string): number {
  const isPair = (text.charCodeAt(SECTION_MAX_CHARS - 1) & 0xfc00) === 0xd800;
  return isPair ? SECTION_MAX_CHARS - 1 : SECTION_MAX_CHARS;
}

function endSentence(title: string): string {
  return /[.!?…。！？]$/.test(title) ? title : `${title}.`;
}
