// `npm run docs`: writes the parts of the documentation that come from the code. With `--check` writes
// nothing, and fails when one of them is stale.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { layersTable } from './layers.mjs';
import { DIST, ROOT, setUp } from './setup.mjs';

await setUp();
const { settingsPage, errorsPage, openApiFile } = await import(`file://${DIST}/src/cli/generated-docs.js`);

const files = {
  'docs/reference/settings.md': settingsPage(),
  'docs/reference/errors.md': errorsPage(),
  'server/openapi.json': await openApiFile(),
  'ARCHITECTURE.md': withLayers(readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')),
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

/** ARCHITECTURE.md with a current table of layers between its two markers. */
function withLayers(page) {
  const [begin, end] = ['<!-- layers: written by `npm run docs` -->', '<!-- end of layers -->'];
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error('ARCHITECTURE.md lacks the markers of the table of layers.');
  return `${before}${begin}\n\n${layersTable()}\n\n${end}${after}`;
}
