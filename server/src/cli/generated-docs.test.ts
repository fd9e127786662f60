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
  test(`${path} is up to date; \`npm run docs\` writes it`, async () => {
    assert.equal(await readFile(new URL(path, PACKAGE_ROOT), 'utf8'), await generate());
  });
}

test('the settings page lists every setting and every deprecated name in well-formed tables', () => {
  const [settings = '', deprecated = ''] = settingsPage().split('## Deprecated names');
  const rowsOf = (section: string) => section.split('\n').filter((line) => line.startsWith('| `'));
  assert.equal(rowsOf(settings).length, describeSettings().length);
  for (const row of rowsOf(settings)) assert.equal(row.split(' | ').length, 5, row);
  const names = describeSettings().flatMap(({ deprecatedNames }) => deprecatedNames);
  assert.deepEqual(
    rowsOf(deprecated).map((row) => row.split('`')[1]),
    names,
  );
});

test('the errors page lists every error code', () => {
  const page = errorsPage();
  for (const code of Object.keys(ERRORS)) assert.ok(page.includes(`| \`${code}\` |`), code);
});
