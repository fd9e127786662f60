import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Setting } from '../../src/config/setting.ts';
import { SETTINGS } from '../../src/config/settings.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const DOCUMENTS = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(ROOT, path)));

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const withoutCode = (text: string) => text.replaceAll(/^```.*?^```$/gms, '');

/** The anchor of a heading, as GitHub makes it. */
function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

function anchorsOf(path: string): ReadonlySet<string> {
  return new Set(
    Array.from(withoutCode(read(path)).matchAll(/^#+ (.+)$/gm), ([, heading = '']) => toAnchor(heading)),
  );
}

test('every link within the documents leads to a file and to a heading of it', () => {
  const broken: string[] = [];
  let count = 0;
  for (const path of DOCUMENTS) {
    for (const [, target = ''] of withoutCode(read(path)).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(https?|mailto):/.test(target)) continue;
      count++;
      const [file = '', anchor] = target.split('#');
      const linked = file === '' ? path : normalize(join(dirname(path), file));
      if (!existsSync(join(ROOT, linked))) broken.push(`${path}: ${target}`);
      else if (anchor && statSync(join(ROOT, linked)).isFile() && !anchorsOf(linked).has(anchor))
        broken.push(`${path}: ${target}`);
    }
  }
  assert.deepEqual(broken, []);
  assert.ok(count > 100);
});

/** The name of the configuration file, and variables of the client libraries and of the tests. */
const OTHER_VARIABLES = /^MYNAH_(CONFIG|API_KEY|BASE_URL|TEST_\w+)$/;

test('every setting in the documents exists, and has the default that they state', () => {
  const settings = new Map(
    Object.values<Setting>(SETTINGS).flatMap((setting) =>
      [setting.env, ...(setting.deprecatedNames ?? [])].map((name) => [name, setting] as const),
    ),
  );
  const wrong: string[] = [];
  for (const path of DOCUMENTS.filter((name) => name !== 'CHANGELOG.md')) {
    for (const [stated, name = '', value] of read(path).matchAll(
      /`(MYNAH_[A-Z0-9_]*[A-Z0-9])`(?: \(([\d.,]+)\))?/g,
    )) {
      const setting = settings.get(name);
      if (setting === undefined && !OTHER_VARIABLES.test(name)) wrong.push(`${path}: ${name} does not exist`);
      if (setting === undefined || value === undefined) continue;
      const standard = setting.schema.safeParse(undefined).data;
      if (Number(value.replaceAll(',', '')) !== standard)
        wrong.push(`${path}: ${stated}, but it is ${String(standard)}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('every shell snippet is valid, and every JSON body in it', () => {
  const wrong: string[] = [];
  let count = 0;
  for (const path of DOCUMENTS) {
    for (const [, snippet = ''] of read(path).matchAll(/^```(?:sh|bash)\n(.*?)^```$/gms)) {
      count++;
      for (const [, body = ''] of snippet.matchAll(/ -d '(\{[^']*\})'/g)) {
        try {
          JSON.parse(body);
        } catch (error) {
          wrong.push(`${path}: ${body}: ${(error as Error).message}`);
        }
      }
      // A line of a crontab is no command.
      if (/^\d+ \d+ \* \* \*/m.test(snippet)) continue;
      try {
        execFileSync('bash', ['-n'], { input: snippet, stdio: ['pipe', 'ignore', 'pipe'] });
      } catch (error) {
        wrong.push(`${path}: ${(error as { stderr: Buffer }).stderr.toString()}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(count > 40);
});

test('a command in the documents that fails shows the body of the error', () => {
  const hiding = DOCUMENTS.filter((path) => /curl (-\w*f\w*|--fail) /.test(read(path)));
  assert.deepEqual(hiding, []);
});
