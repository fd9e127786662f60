import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildEpub } from '../../test/support/documents/epub-writer.ts';
import { zip } from '../../test/support/documents/zip-writer.ts';
import type { Book } from './book.ts';
import { readNavigation, readNcx, readPackage } from './epub/package-document.ts';
import { extractXhtml } from './epub/xhtml-text.ts';
import { readBook } from './read-book.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mynah-books-'));
});
after(() => rm(folder, { recursive: true }));

async function readFileAs(name: string, content: string | Uint8Array, maxChars = 100_000): Promise<Book> {
  const path = join(folder, 'book');
  await writeFile(path, content);
  return readBook({ path, fileName: name }, undefined, { maxChars });
}

const titlesOf = ({ chapters }: Book) => chapters.map(({ title }) => title);

test('a plain text is divided at lone headings, and its lines are joined', async () => {
  const text =
    'A note.\n\nCHAPTER I. The Storm\n\nIt was\r\nlate.\n\nChapter 2 of my life began.  I left.\n\nPart Two\n\nChapter 2\n\nDone.';
  const book = await readFileAs('book.txt', text);
  assert.deepEqual(titlesOf(book), [undefined, 'CHAPTER I. The Storm', 'Part Two. Chapter 2']);
  assert.deepEqual(book.chapters[1]!.paragraphs, ['It was late.', 'Chapter 2 of my life began. I left.']);
});

test('Markdown loses its syntax; its highest repeated heading level gives the chapters', async () => {
  const text =
    '---\ntitle: "Home"\nauthor: Ann\n---\n# Book\n\n## One\n\nA *very* [long](http://x) `road`[^1].\n\n```js\ncode()\n```\n\n### Detail\n\n- first\n- **second**\n\nTwo\n---\n\n> Quoted ![boat](b.png)\n\n| a | b |\n';
  const book = await readFileAs('book.md', text);
  assert.deepEqual([book.title, book.author], ['Home', 'Ann']);
  assert.deepEqual(titlesOf(book), ['Book. One', 'Two']);
  assert.deepEqual(book.chapters[0]!.paragraphs, ['A very long road.', 'Detail.', 'first', 'second']);
  assert.deepEqual(book.chapters[1]!.paragraphs, ['Quoted boat']);
});

test('an EPUB is read in the order of its spine, with the titles of its table of contents', async () => {
  const chapters = [
    { title: 'One &amp; Only', paragraphs: ['Caf&eacute;<br/>noir.', '<ruby>漢<rt>kan</rt></ruby>'] },
    { title: 'Two', paragraphs: ['Text<a epub:type="noteref">3</a>.', '<span hidden="">no</span>Yes.'] },
  ];
  const book = await readFileAs('x', buildEpub({ title: 'Home', author: 'Ann', chapters }));
  assert.deepEqual([book.title, book.author, book.language], ['Home', 'Ann', 'en']);
  assert.deepEqual(book.chapters, [
    { title: 'One & Only', paragraphs: ['Café noir.', '漢'] },
    { title: 'Two', paragraphs: ['Text.', 'Yes.'] },
  ]);
});

test('entries of the table of contents that point into a document divide it', async () => {
  const files = {
    'OEBPS/nav.xhtml':
      '<nav epub:type="toc"><a href="chapter-1.xhtml#a">First</a><a href="chapter-1.xhtml#b">Second</a></nav>',
    'OEBPS/chapter-1.xhtml':
      '<body><h2 id="a">First</h2><p>One.</p><div id="b"><h2>Second</h2><p>Two.</p></div></body>',
  };
  const book = await readFileAs(
    'x',
    buildEpub({ title: 'T', chapters: [{ title: '', paragraphs: [] }] }, files),
  );
  assert.deepEqual(book.chapters, [
    { title: 'First', paragraphs: ['One.'] },
    { title: 'Second', paragraphs: ['Two.'] },
  ]);
});

const CHAPTERS = [{ title: 'One', paragraphs: ['Text.'] }];
const ENCRYPTED =
  '<encryption><EncryptedData><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes256-cbc"/></EncryptedData></encryption>';
const INVALID: readonly (readonly [string, () => Uint8Array | string])[] = [
  ['a ZIP archive without a package document', () => zip({ 'a.txt': 'x' })],
  ['a truncated archive', () => buildEpub({ title: 'T', chapters: CHAPTERS }).subarray(0, 300)],
  [
    'a text that expands',
    () => buildEpub({ title: 'T', chapters: [{ title: 'T', paragraphs: ['a'.repeat(6e6)] }] }),
  ],
  [
    'a document above the size limit',
    () => zip({ 'META-INF/container.xml': 'x' }, { declaredBytes: 2 ** 30 }),
  ],
  [
    'a file that is larger than it declares',
    () => zip({ 'META-INF/container.xml': 'x'.repeat(500) }, { declaredBytes: 9 }),
  ],
  [
    'a protected book',
    () => buildEpub({ title: 'T', chapters: CHAPTERS }, { 'META-INF/encryption.xml': ENCRYPTED }),
  ],
  ['a text in another encoding', () => Buffer.from([0x63, 0x61, 0x66, 0xe9])],
  ['a book without text', () => '* * *\n'],
];
for (const [name, content] of INVALID) {
  test(`${name} is invalid_book`, () =>
    assert.rejects(async () => readFileAs('x', content()), { code: 'invalid_book' }));
}

test('a book above the limit is text_too_long, as a file and as a text', async () => {
  await assert.rejects(readFileAs('x.txt', 'word '.repeat(30), 100), { code: 'text_too_long' });
  await assert.rejects(readFileAs('x.txt', 'word '.repeat(3000), 100), { code: 'text_too_long' });
  await assert.rejects(readBook({ text: 'word '.repeat(30) }, 'text', { maxChars: 100 }), {
    code: 'text_too_long',
  });
});

test('the facts of a book, which are stored and listed with its job, are short', async () => {
  const long = 'x'.repeat(4000);
  const fromMarkdown = await readFileAs('x.md', `---\ntitle: ${long}\nauthor: ${long}\n---\nText.`);
  const fromEpub = await readFileAs('x', buildEpub({ title: long, chapters: CHAPTERS }));
  for (const { title = '', author = '' } of [fromMarkdown, fromEpub]) {
    assert.ok(title.startsWith('xxx') && title.length <= 200, `${title.length}`);
    assert.ok(author.length <= 200);
  }
});

test('deeply nested markup is read up to a limit, and refused above it', async () => {
  const nested = (depth: number) => `<body>${'<div>'.repeat(depth)}Deep.${'</div>'.repeat(depth)}</body>`;
  const parts = await extractXhtml(nested(900));
  assert.deepEqual(parts, [{ kind: 'paragraph', text: 'Deep.' }]);
  // The parser searches the open elements at every tag: 8 MB of them would take an hour.
  for (const source of [nested(5000), '<i>'.repeat(2_000_000), '<ul><li>'.repeat(500_000)])
    await assert.rejects(extractXhtml(source), { code: 'invalid_book' });
  await assert.rejects(readNavigation('<nav>'.repeat(1_000_000)), { code: 'invalid_book' });
  await assert.rejects(readPackage('<package>'.repeat(800_000)), { code: 'invalid_book' });
});

test('a paragraph without an end is divided between words', async () => {
  for (const space of [' ', '\n', '\t']) {
    const parts = await extractXhtml(`<p>${`word${space}`.repeat(40_000)}</p>`);
    const texts = parts.map((part) => ('text' in part ? part.text : ''));
    assert.ok(texts.every(({ length }) => length > 0 && length < 70_000));
    assert.equal(texts.join(' '), 'word '.repeat(40_000).trim());
  }
});

test('labels of a table of contents have the length of a title, and long paths name no file', async () => {
  const label = 'word '.repeat(200_000);
  const [entry] = await readNavigation(`<nav><a href="a.xhtml">${label}</a></nav>`);
  assert.ok(entry!.label.length > 0 && entry!.label.length <= 200);
  const [fromNcx] = await readNcx(`<navLabel><text>${label}</text></navLabel><content src="a.xhtml"/>`);
  assert.ok(fromNcx!.label.length > 0 && fromNcx!.label.length <= 200);

  const long = `${'a/'.repeat(1000)}x.xhtml`;
  const document = `<package><manifest><item id="x" media-type="text/html" href="${long}"/></manifest><spine><itemref idref="x"/></spine></package>`;
  const files = {
    'META-INF/container.xml': '<container><rootfile full-path="a.opf"/></container>',
    'a.opf': document,
    [long]: '<p>Text.</p>',
  };
  await assert.rejects(readFileAs('x', zip(files)), { code: 'invalid_book' });
});

const READERS = {
  markdown: (text: string) => readBook({ text }, 'markdown', { maxChars: 1_000_000 }),
  xhtml: extractXhtml,
} as const;

/** CPU time of a text that starts with a word and repeats a part, in milliseconds. */
async function costOf(part: string, reader: keyof typeof READERS, length: number): Promise<number> {
  const started = process.cpuUsage();
  await READERS[reader](`word ${part.repeat(length / part.length)}`);
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}

test('the cost of markup that is never closed is linear in its length', async () => {
  const markdown = ['<!--', '![', '[', '[a](', '<a', '**a', '*a ', '`', '# #', '.', '\n', 'a\n', ' '];
  const cases = [
    ...markdown.map((part) => ({ part, reader: 'markdown', length: 20_000 }) as const),
    ...['<i id="a">x</i>', '<!--', '<a '].map(
      (part) => ({ part, reader: 'xhtml', length: 300_000 }) as const,
    ),
  ];
  for (const { part, reader, length } of cases) {
    let ratio = Number.POSITIVE_INFINITY;
    // Other processes disturb the measurement.
    for (let attempt = 0; attempt < 4 && ratio > 10; attempt++) {
      const short = await costOf(part, reader, length);
      ratio = (await costOf(part, reader, 5 * length)) / (short + 20);
    }
    assert.ok(
      ratio <= 10,
      `${reader} ${JSON.stringify(part)}: ${ratio.toFixed()} times the cost for 5 times the length`,
    );
  }
});

test('a long line is divided, and keeps its words', async () => {
  const text = 'A word and another word. '.repeat(1000);
  const { chapters } = await readBook({ text }, 'text', { maxChars: 1_000_000 });
  assert.equal(chapters.flatMap(({ paragraphs }) => paragraphs).join(' '), text.trim());
});
