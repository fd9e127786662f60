import { z } from 'zod';
import { ApiError } from '../../errors.ts';

const whole = (name: string, max: number) => {
  const message = `${name} must be in [1, ${max}]`;
  return z.coerce.number(message).int(message).min(1, message).max(max, message);
};

/** Which page of a list, newest first: by `cursor`, or by `page`. */
export const PageQuery = z
  .object({
    page_size: whole('page_size', 100).default(20),
    page: whole('page', 1_000_000)
      .optional()
      .describe('Number of the page, from 1. Not together with `cursor`.'),
    cursor: z.string().optional().describe('`next_cursor` of the page before.'),
  })
  .refine(({ page, cursor }) => page === undefined || cursor === undefined, 'give either page or cursor');

/** The last thing of a page, from which the next goes on. */
export interface PageCursor {
  readonly id: string;
  readonly createdAtMs: number;
}

/** What to ask a store for; one more than the page holds, to know whether there is another. */
export function toStorePage({ page_size, page, cursor }: z.output<typeof PageQuery>) {
  const before = cursor === undefined ? undefined : readCursor(cursor);
  return { limit: page_size + 1, offset: page === undefined ? 0 : (page - 1) * page_size, before };
}

/** A page as clients get it, from what a store gave. */
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
  if (!match) throw new ApiError('invalid_parameter', 'cursor is not one that this server gave');
  return { createdAtMs: Number(match[1]), id: match[2]! };
}
