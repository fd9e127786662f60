import { Parser, type ParserOptions } from 'htmlparser2';
import { createInvalidBookError } from '../invalid-book.ts';
import { Turns } from '../turns.ts';

/** Maximum nesting of elements. The parser searches the open ones at every tag. */
export const NESTING_MAX = 1000;
/** The source is parsed in parts of this length, between which other requests get a turn. */
const PART_CHARS = 32_768;

export interface MarkupHandlers {
  readonly onopentag: (name: string, attributes: Readonly<Record<string, string>>) => void;
  readonly ontext: (text: string) => void;
  readonly onclosetag: (name: string) => void;
}

/** Parses XML or XHTML. Tolerates malformed markup, as reading systems do. Throws `invalid_book`. */
export async function parseMarkup(
  source: string,
  handlers: MarkupHandlers,
  options: Pick<ParserOptions, 'xmlMode'> = {},
): Promise<void> {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > NESTING_MAX)
          throw createInvalidBookError('The elements of the EPUB are nested too deeply.');
        handlers.onopentag(name, attributes);
      },
      ontext: handlers.ontext,
      onclosetag(name) {
        depth--;
        handlers.onclosetag(name);
      },
    },
    {
      decodeEntities: true,
      ...(options.xmlMode ? options : { recognizeSelfClosing: true, lowerCaseTags: true }),
    },
  );
  const turns = new Turns();
  for (let from = 0; from < source.length; from += PART_CHARS) {
    parser.write(source.slice(from, from + PART_CHARS));
    await turns.pause();
  }
  parser.end();
}
