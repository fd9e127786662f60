import { metricEntries } from './declarations.ts';

/** The table of metrics for `docs/reference/metrics.md`. */
export function metricsTable(): string {
  const rows = metricEntries().map(([name, { type, help, labels = {} }]) => {
    const labelText = Object.entries(labels)
      .map(([label, values]) => `\`${label}\`: ${values}`)
      .join('<br>');
    return `| \`${name}\` | ${type} | ${labelText} | ${help} |`;
  });
  return ['| metric | type | labels | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}
