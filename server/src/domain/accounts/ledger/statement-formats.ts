import { formatCsv } from '../csv.ts';
import { formatUsd } from './money.ts';
import type { Statement } from './statement.ts';
import type { Service } from './usage.ts';

const UNIT_NAMES: Readonly<Record<Service, string>> = {
  tts: 'bytes',
  asr: 'seconds',
  voice_design: 'requests',
};

type Line = readonly [date: string, kind: string, details: string, amount: string];

/** A statement as CSV. */
export function statementCsv(statement: Statement): string {
  return formatCsv(['date', 'kind', 'details', 'usd'], linesOf(statement));
}

/** A statement as a self-contained HTML page for printing. */
export function statementHtml(statement: Statement): string {
  const rows = linesOf(statement).map(
    (line) => `<tr>${line.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`,
  );
  const title = `Statement ${statement.month}: ${statement.account.name}`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
<style>
  body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 50rem; color: #111; background: #fff }
  table { border-collapse: collapse; width: 100% }
  th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #ddd }
  th:last-child, td:last-child { text-align: right; font-variant-numeric: tabular-nums }
  tr:first-child td, tr:last-child td { font-weight: 600 }
  thead { display: table-header-group }
  tr { break-inside: avoid }
</style>
<h1>${escapeHtml(title)}</h1>
<p>Account ${escapeHtml(statement.account.id)}. Amounts in US dollars, days in UTC.</p>
<table>
<thead><tr><th>Date</th><th>Kind</th><th>Details</th><th>USD</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</html>
`;
}

function linesOf({ month, openingNano, closingNano, bookings, charges }: Statement): readonly Line[] {
  const booked = bookings.map(
    ({ atMs, kind, memo, amountNano }): Line => [
      new Date(atMs).toISOString().slice(0, 10),
      kind,
      memo,
      formatUsd(amountNano),
    ],
  );
  const charged = charges.map(
    ({ day = '', service = '', model = '', requests, units, costNano }): Line => [
      day,
      'usage',
      `${service} ${model}: ${requests} requests, ${units} ${UNIT_NAMES[service as Service]}`,
      formatUsd(-costNano),
    ],
  );
  return [
    [`${month}-01`, 'opening', 'Balance at the start', formatUsd(openingNano)],
    ...[...booked, ...charged].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
    [month, 'closing', 'Balance at the end', formatUsd(closingNano)],
  ];
}

function escapeHtml(text: string): string {
  const names: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replaceAll(/[&<>"]/g, (character) => names[character] ?? '');
}
