import { z } from 'zod';
import { ApiError } from '../../errors.ts';

const integer = (name: string, max: number) => {
  const message = `${name} must be in [1, ${max}]`;
  return z.coerce.number(message).int(message).min(1, message).max(max, message);
};

/** Pagination of a list, newest first: by `cursor` or by `page`. */
export const PageQuery = z
  .object({
    page_size: integer('page_size', 100).default(20),
    page: integer('page', 1_000_000)
      .optional()
      .describe('Number of the page, from 1. Not together with `cursor`.'),
    cursor: z.string().optional().describe('`next_cursor` of the previous page.'),
  })
  .refine(({ page, cursor }) => page === undefined || cursor === undefined, 'give either page or cursor');

/** The last item of a page. */
export interface PageCursor {
  readonly id: string;
  readonly createdAtMs: number;
}

/** The store query of a page. It reads one more item than the page has, to detect a next page. */
export function toStorePage({ page_size, page, cursor }: z.output<typeof PageQuery>) {
  const before = cursor === undefined ? undefined : readCursor(cursor);
  return { limit: page_size + 1, offset: page === undefined ? 0 : (page - 1) * page_size, before };
}

/** A page in the wire format. */
export function toWirePage<Item extends PageCursor, Wire>(
  found: readonly Item[],
  pageSize: number,
  toWire: (item: Item) => Wire,
): { items: Wire[]; has_more: boolean; next_cursor: string | null } {
  const items = found.slice(0, pageSize);
  const hasMore = found.length > pageSize;
  return {
    items: items.map(toWire),
    has_more: hasMore,
    next_cursor: hasMore ? writeCursor(items.at(-1)!) : null,
  };
}

function writeCursor({ createdAtMs, id }: PageCursor): string {
  return Buffer.from(`${createdAtMs} ${id}`).toString('base64url');
}

function readCursor(cursor: string): PageCursor {
  const match = /^(\d{1,15}) (\w{1,128})$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (!match) throw new ApiError('invalid_parameter', 'cursor is not valid');
  return { createdAtMs: Number(match[1]), id: match[2]! };
}
