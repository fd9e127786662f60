import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { PACKAGE_ROOT } from '../config/package-info.ts';
import { describeSettings } from '../config/settings-reference.ts';
import { ERRORS } from '../errors.ts';
import { errorsPage, openApiFile, settingsPage } from './generated-docs.ts';

const COMMITTED = [
  ['../docs/reference/settings.md', settingsPage],
  ['../docs/reference/errors.md', errorsPage],
  ['openapi.json', openApiFile],
] as const;
for (const [path, generate] of COMMITTED) {
  test(`${path} is what the code says; \`npm run docs\` makes it so`, async () => {
    assert.equal(await readFile(new URL(path, PACKAGE_ROOT), 'utf8'), await generate());
  });
}

test('the settings page has every setting, and no cell breaks its table', () => {
  const rows = settingsPage()
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  assert.equal(rows.length, describeSettings().length);
  for (const row of rows) assert.equal(row.split(' | ').length, 5, row);
});

test('the errors page has every error', () => {
  const page = errorsPage();
  for (const code of Object.keys(ERRORS)) assert.ok(page.includes(`| \`${code}\` |`), code);
});
