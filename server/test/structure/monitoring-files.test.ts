import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  type MetricDeclaration,
  metricEntries,
  seriesNames,
} from '../../src/infrastructure/metrics/declarations.ts';
import { skipWithout } from '../support/servers/missing-program.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const RULES = join(ROOT, 'deploy/prometheus/mynah-alerts.yml');
const DASHBOARD = join(ROOT, 'deploy/grafana/mynah.json');
const GUIDE = join(ROOT, 'docs/guides/observe.md');

/** Labels that Prometheus adds. */
const TARGET_LABELS = ['job', 'instance'];

const declarations = new Map<string, MetricDeclaration>(
  metricEntries().flatMap(([name, declaration]) =>
    seriesNames(name).map((series): [string, MetricDeclaration] => [series, declaration]),
  ),
);

interface Query {
  readonly where: string;
  readonly expression: string;
}

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

async function dashboardQueries(): Promise<readonly Query[]> {
  const { panels } = JSON.parse(await readFile(DASHBOARD, 'utf8')) as { panels: readonly Panel[] };
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ where: `panel “${title}”`, expression: expr })),
  );
}

/** The alerts with their expressions, which are on the line of `expr:` or indented below it. */
async function alertQueries(): Promise<readonly Query[]> {
  const blocks = (await readFile(RULES, 'utf8')).split('- alert: ').slice(1);
  return blocks.map((block) => {
    const [, expression = ''] = /expr: ([\s\S]*?)\n {8}(?:for|labels):/.exec(block) ?? [];
    return { where: block.split('\n', 1)[0] ?? '', expression };
  });
}

test('dashboard and alerts query declared metrics and labels only', async () => {
  const queries = [...(await dashboardQueries()), ...(await alertQueries())];
  assert.ok(queries.length > 50);
  for (const { where, expression } of queries) {
    const names = expression.match(/\b(?:mynah|process|nodejs)_\w+|\bup\b/g) ?? [];
    assert.ok(names.length > 0, `${where} queries no metric: ${expression}`);
    const labels = new Set(TARGET_LABELS);
    for (const name of names) {
      const declaration = declarations.get(name);
      assert.ok(name === 'up' || declaration, `${where} queries ${name}, which is not declared`);
      for (const label of Object.keys(declaration?.labels ?? {})) labels.add(label);
      if (declaration?.type === 'histogram') labels.add('le');
    }
    const matchers = [...expression.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label]) => label);
    const groups = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) =>
      list.split(/,\s*/),
    );
    for (const label of [...matchers, ...groups]) {
      assert.ok(label !== undefined && labels.has(label), `${where} uses the label ${label}`);
    }
  }
});

test('every declared metric is on the dashboard', async () => {
  const text = (await dashboardQueries()).map(({ expression }) => expression).join('\n');
  for (const [name] of metricEntries()) assert.match(text, new RegExp(`\\b${name}`));
});

test('the guide explains every alert', async () => {
  const guide = await readFile(GUIDE, 'utf8');
  for (const { where } of await alertQueries()) assert.ok(guide.includes(`\`${where}\``), where);
});

test('promtool accepts the rules and the configuration', (context) => {
  const config = join(ROOT, 'deploy/prometheus/prometheus.yml');
  const { error, status, stdout, stderr } = spawnSync('promtool', ['check', 'config', config], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') {
    return skipWithout('prometheus', context, 'promtool is not installed.');
  }
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /SUCCESS: 13 rules found/);
});
