import { collapseSpaces, TITLE_MAX_CHARS } from '../book.ts';
import { parseMarkup } from './parse-markup.ts';

/** The content of a package document (OPF). Paths are relative to it. */
export interface PackageDocument {
  readonly title: string | undefined;
  readonly author: string | undefined;
  readonly language: string | undefined;
  /** The content documents in reading order. */
  readonly spine: readonly string[];
  /** The table of contents: a navigation document (EPUB 3) or an NCX (EPUB 2). */
  readonly navigation: string | undefined;
  readonly ncx: string | undefined;
}

/** One entry of a table of contents. */
export interface ContentsEntry {
  readonly href: string;
  readonly label: string;
}

/** Maximum number of content documents and of entries in the table of contents. */
const SPINE_MAX = 5000;
const CONTENTS_MAX = 5000;
/** The part of a label or of another text, with its white space, that is read. */
const LABEL_MAX_CHARS = 10 * TITLE_MAX_CHARS;

/** The path of the package document, from `META-INF/container.xml`. */
export async function readContainer(source: string): Promise<string | undefined> {
  let path: string | undefined;
  await parseXml(source, {
    open(name, attributes) {
      if (name === 'rootfile') path ??= attributes['full-path'];
    },
  });
  return path;
}

export async function readPackage(source: string): Promise<PackageDocument> {
  const items = new Map<
    string,
    { readonly href: string; readonly properties: string; readonly type: string }
  >();
  const references: string[] = [];
  const metadata = new Map<string, string>();
  let tocId: string | undefined;
  await parseXml(source, {
    open(name, attributes) {
      if (name === 'item' && attributes.id !== undefined) {
        const { id, href = '', properties = '', 'media-type': type = '' } = attributes;
        items.set(id, { href, properties, type });
      } else if (name === 'spine') tocId = attributes.toc;
      else if (name === 'itemref' && attributes.linear !== 'no' && references.length < SPINE_MAX)
        references.push(attributes.idref ?? '');
    },
    text(name, text) {
      const [, field] = /^dc:(title|creator|language)$/.exec(name) ?? [];
      if (field !== undefined && !metadata.has(field) && text !== '') metadata.set(field, text);
    },
  });
  const documents = references.flatMap((id) => items.get(id) ?? []);
  return {
    title: metadata.get('title'),
    author: metadata.get('creator'),
    language: metadata.get('language'),
    spine: documents.filter(({ type }) => /html/.test(type)).map(({ href }) => href),
    navigation: [...items.values()].find(({ properties }) => /\bnav\b/.test(properties))?.href,
    ncx: items.get(tocId ?? 'ncx')?.href,
  };
}

/** The entries of a navigation document: the links of its table of contents. */
export async function readNavigation(source: string): Promise<ContentsEntry[]> {
  const entries: ContentsEntry[] = [];
  let isContents = false;
  let href: string | undefined;
  let label = '';
  await parseMarkup(source, {
    onopentag(name, attributes) {
      if (name === 'nav') isContents = !/\b(landmarks|page-list)\b/.test(attributes['epub:type'] ?? 'toc');
      if (name !== 'a' || !isContents) return;
      href = attributes.href;
      label = '';
    },
    ontext(text) {
      if (label.length < LABEL_MAX_CHARS) label += text;
    },
    onclosetag(name) {
      if (name === 'nav') isContents = false;
      if (name !== 'a' || href === undefined) return;
      if (entries.length < CONTENTS_MAX) entries.push({ href, label: toTitle(label) });
      href = undefined;
    },
  });
  return entries;
}

/** The entries of an NCX. */
export async function readNcx(source: string): Promise<ContentsEntry[]> {
  const entries: ContentsEntry[] = [];
  let label = '';
  await parseXml(source, {
    open(name, attributes) {
      const { src } = attributes;
      if (name === 'content' && src !== undefined && label !== '' && entries.length < CONTENTS_MAX)
        entries.push({ href: src, label });
      if (name === 'content') label = '';
    },
    text(name, text) {
      if (name === 'text' && text !== '') label = toTitle(text);
    },
  });
  return entries;
}

/** The names of the algorithms with which files of the EPUB are encrypted, from `META-INF/encryption.xml`. */
export async function readEncryption(source: string): Promise<string[]> {
  const algorithms: string[] = [];
  await parseXml(source, {
    open(name, { Algorithm: algorithm = '' }) {
      if (/(?:^|:)EncryptionMethod$/.test(name)) algorithms.push(algorithm);
    },
  });
  return algorithms;
}

/** A label as the title of a chapter: its length is limited, because every heading of a document is compared with it. */
function toTitle(label: string): string {
  return collapseSpaces(label.slice(0, LABEL_MAX_CHARS)).slice(0, TITLE_MAX_CHARS);
}

/** Reads XML. `text` receives the text of an element without children. Entities are not defined by documents. */
async function parseXml(
  source: string,
  handlers: {
    readonly open: (name: string, attributes: Readonly<Record<string, string | undefined>>) => void;
    readonly text?: (name: string, text: string) => void;
  },
): Promise<void> {
  let text = '';
  await parseMarkup(
    source,
    {
      onopentag(name, attributes) {
        text = '';
        handlers.open(withoutPrefix(name), attributes);
      },
      ontext(chunk) {
        if (text.length < LABEL_MAX_CHARS) text += chunk;
      },
      onclosetag(name) {
        handlers.text?.(withoutPrefix(name), collapseSpaces(text.slice(0, LABEL_MAX_CHARS)));
        text = '';
      },
    },
    { xmlMode: true },
  );
}

/** Some packages prefix every element with `opf:` or `ncx:`. */
function withoutPrefix(name: string): string {
  return name.replace(/^(?:opf|ncx):/, '');
}
