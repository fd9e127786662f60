import { formatTable } from '../src/cli/table.ts';

/** One line of the table. */
export interface Row {
  readonly what: string;
  readonly value: string;
  readonly target?: Target;
}

export interface Target {
  readonly text: string;
  readonly isMet: boolean;
}

/** What a part has found: lines to read, and all numbers behind them. */
export interface PartReport {
  readonly rows: readonly Row[];
  readonly data: unknown;
}

/** A value that is good when it is small. */
export function atMost(value: number, limit: number, unit = ''): Target {
  return { text: `at most ${limit}${unit}`, isMet: value <= limit };
}

/** A value that is good when it is large. */
export function atLeast(value: number, limit: number, unit = ''): Target {
  return { text: `at least ${limit}${unit}`, isMet: value >= limit };
}

export const ms = (value: number) => `${Math.round(value)} ms`;
export const times = (value: number) => `${value.toFixed(2)} ×`;
export const percent = (share: number, digits = 1) => `${(share * 100).toFixed(digits)} %`;
export const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`;
/** CPU seconds for a second of audio. */
export const cost = (value: number) => `${value.toFixed(3)} CPU s/s`;

/** The lines as one aligned table that says which targets were met. */
export function renderTable(rows: readonly Row[]): string {
  return formatTable(
    ['measure', 'value', 'target', 'met'],
    rows.map(({ what, value, target }) => [what, value, target?.text ?? '', verdict(target)]),
  );
}

function verdict(target: Target | undefined): string {
  if (target === undefined) return '';
  return target.isMet ? 'yes' : 'NO';
}
