import { type ReactNode, useLayoutEffect, useRef } from 'react';

export function PageHeader({
  title,
  text,
  children,
}: {
  readonly title: string;
  readonly text?: string;
  readonly children?: ReactNode;
}) {
  return (
    <header className="mb-6 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
        {text && <p className="mt-1 max-w-2xl text-muted">{text}</p>}
      </div>
      {children && <div className="flex flex-wrap gap-2">{children}</div>}
    </header>
  );
}

const BADGES = {
  neutral: 'bg-sunken text-muted',
  accent: 'bg-accent-soft text-accent',
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  danger: 'bg-danger-soft text-danger',
} as const;
export type BadgeLook = keyof typeof BADGES;

export function Badge({
  look = 'neutral',
  children,
}: {
  readonly look?: BadgeLook;
  readonly children: ReactNode;
}) {
  return (
    <span
      className={`inline-flex items-center rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap ${BADGES[look]}`}
    >
      {children}
    </span>
  );
}

/** A table. On narrow screens each row is a block, and each cell has the name of its column. */
export function Table({
  label,
  head,
  children,
}: {
  readonly label: string;
  readonly head: readonly string[];
  readonly children: ReactNode;
}) {
  const table = useRef<HTMLTableElement>(null);
  // After every render, because the rows change with their data.
  useLayoutEffect(() => {
    for (const row of table.current?.tBodies[0]?.rows ?? []) {
      for (const [index, cell] of [...row.cells].entries()) cell.dataset.label = head[index] ?? '';
    }
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="card relative overflow-x-auto" aria-label={label} tabIndex={0}>
      <table ref={table} className="stacking-table w-full text-sm">
        <thead>
          <tr className="tr-head">
            {head.map((name, index) => (
              <th key={name || index} scope="col">
                {name || <span className="sr-only">{label}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

/** The cell of a table that says what the row is about: a name above an id. */
export function NameCell({ name, id }: { readonly name: string; readonly id: string }) {
  return (
    <td>
      <span className="block font-medium">{name}</span>
      <code className="text-xs text-muted">{id}</code>
    </td>
  );
}

export function Stat({
  label,
  value,
  hint,
}: {
  readonly label: string;
  readonly value: string;
  readonly hint?: string;
}) {
  return (
    <div className="card p-4">
      <div className="text-sm text-muted">{label}</div>
      <div className="mt-1 text-2xl font-semibold tracking-tight tabular-nums">{value}</div>
      {hint && <div className="mt-0.5 text-sm text-muted">{hint}</div>}
    </div>
  );
}
