// `npm run docs`: writes the parts of the documentation that come from the code. With `--check` writes
// nothing, and fails when one of them is stale.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { languagesTable } from './languages-table.mjs';
import { layersTable } from './layers.mjs';
import { DIST, ROOT, setUp } from './setup.mjs';

await setUp();
const { settingsPage, errorsPage, metricsPage, openApiFile } = await import(
  `file://${DIST}/src/cli/generated-docs.js`
);
const { limitsTable } = await import(`file://${DIST}/src/cli/limits-table.js`);

const files = {
  'docs/reference/settings.md': settingsPage(),
  'docs/reference/errors.md': errorsPage(),
  'docs/reference/metrics.md': metricsPage(),
  'server/openapi.json': await openApiFile(),
  'docs/guides/voices-and-models.md': withSection(
    'docs/guides/voices-and-models.md',
    'languages',
    await languagesTable(),
  ),
  'ARCHITECTURE.md': withSection('ARCHITECTURE.md', 'layers', layersTable()),
  'SECURITY.md': withSection('SECURITY.md', 'limits', limitsTable()),
};

const isCheck = process.argv.includes('--check');
const stale = Object.entries(files).filter(([name, content]) => {
  const path = join(ROOT, name);
  return !existsSync(path) || readFileSync(path, 'utf8') !== content;
});

for (const [name, content] of stale) {
  if (isCheck) console.error(`${name} is stale; run \`npm run docs\`.`);
  else {
    mkdirSync(dirname(join(ROOT, name)), { recursive: true });
    writeFileSync(join(ROOT, name), content);
    console.log(`Wrote ${name}.`);
  }
}
process.exitCode = isCheck && stale.length > 0 ? 1 : 0;

/** A page with current content between the two markers of a section. */
function withSection(name, section, content) {
  const [begin, end] = [`<!-- ${section}: written by \`npm run docs\` -->`, `<!-- end of ${section} -->`];
  const [before, rest] = readFileSync(join(ROOT, name), 'utf8').split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`${name} lacks the markers of the section “${section}”.`);
  return `${before}${begin}\n\n${content}\n\n${end}${after}`;
}
