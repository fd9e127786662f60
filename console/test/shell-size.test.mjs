import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';

const DIST = new URL('../dist/', import.meta.url);
const SHELL_MAX_BYTES = 180_000;

/** The scripts that a page loads before it is interactive: the entry with its static imports, and a catalogue. */
function shellScripts() {
  const found = new Set();
  const add = (name) => {
    if (found.has(name)) return;
    found.add(name);
    const code = readFileSync(new URL(`assets/${name}`, DIST), 'utf8');
    for (const [, next] of code.matchAll(/(?:import|from)\s*["']\.\/([^"']+\.js)["']/g)) add(next);
  };
  const document = readFileSync(new URL('index.html', DIST), 'utf8');
  for (const [, name] of document.matchAll(/\/assets\/([\w.-]+\.js)/g)) add(name);
  add(readdirSync(new URL('assets/', DIST)).find((name) => /^zh-[\w-]+\.js$/.test(name)));
  return [...found];
}

test('the shell has at most 180 kB of compressed JavaScript, without charts and waveform', () => {
  const scripts = shellScripts();
  const bytes = scripts.map((name) => statSync(new URL(`assets/${name}.gz`, DIST)).size);
  const total = bytes.reduce((sum, size) => sum + size, 0);
  assert.ok(scripts.length > 5, 'static imports are found');
  assert.ok(total <= SHELL_MAX_BYTES, `${total} bytes`);
  for (const part of ['usage-chart', 'waveform']) {
    assert.ok(!scripts.some((name) => name.startsWith(part)), `${part} is loaded at the start`);
  }
});
