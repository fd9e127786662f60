import { zip } from './zip-writer.ts';

export interface EpubChapter {
  readonly title: string;
  readonly paragraphs: readonly string[];
}

/** Builds an EPUB 3 with a navigation document. `files` adds or replaces files. */
export function buildEpub(
  book: { readonly title: string; readonly author?: string; readonly chapters: readonly EpubChapter[] },
  files: Readonly<Record<string, string>> = {},
): Buffer {
  const names = book.chapters.map((_, index) => `chapter-${index + 1}.xhtml`);
  const items = names.map((name, index) => `<item id="c${index}" href="${name}" media-type="${XHTML}"/>`);
  const references = names.map((_, index) => `<itemref idref="c${index}"/>`);
  const links = book.chapters.map(({ title }, index) => `<li><a href="${names[index]}">${title}</a></li>`);
  return zip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': `<?xml version="1.0"?><container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`,
    'OEBPS/book.opf': `<?xml version="1.0"?><package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>${book.title}</dc:title><dc:creator>${book.author ?? ''}</dc:creator><dc:language>en</dc:language></metadata><manifest><item id="nav" href="nav.xhtml" media-type="${XHTML}" properties="nav"/>${items.join('')}</manifest><spine>${references.join('')}</spine></package>`,
    'OEBPS/nav.xhtml': `<html><body><nav epub:type="toc"><ol>${links.join('')}</ol></nav></body></html>`,
    ...Object.fromEntries(
      book.chapters.map(({ title, paragraphs }, index) => [
        `OEBPS/${names[index]}`,
        `<html><head><title>x</title></head><body><h1>${title}</h1>${paragraphs.map((text) => `<p>${text}</p>`).join('\n')}</body></html>`,
      ]),
    ),
    ...files,
  });
}

const XHTML = 'application/xhtml+xml';

const SUBJECTS = [
  'The old keeper',
  'A small boat',
  'My sister',
  'The captain',
  'Nobody in town',
  'The child',
];
const VERBS = ['watched', 'remembered', 'followed', 'described', 'painted', 'almost forgot'];
const OBJECTS = ['the grey harbour', 'a letter from abroad', 'the long winter', 'every light on the hill'];
const ENDINGS = ['before the rain came.', 'and said nothing.', 'for many years.', 'while the others slept.'];

/** A book of at least `characters` characters, the same with each call. */
export function buildLongBook(characters: number, chapterCount: number): readonly EpubChapter[] {
  let state = 1;
  const pick = (list: readonly string[]) => {
    state = (state * 48_271) % 2_147_483_647;
    return list[state % list.length]!;
  };
  const sentence = () => `${pick(SUBJECTS)} ${pick(VERBS)} ${pick(OBJECTS)} ${pick(ENDINGS)}`;
  return Array.from({ length: chapterCount }, (_, index) => {
    const paragraphs: string[] = [];
    for (let length = 0; length < characters / chapterCount; ) {
      const paragraph = Array.from({ length: 6 }, sentence).join(' ');
      paragraphs.push(paragraph);
      length += paragraph.length;
    }
    return { title: `Chapter ${index + 1}`, paragraphs };
  });
}
