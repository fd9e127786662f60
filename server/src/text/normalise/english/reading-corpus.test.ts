import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PACKAGE_ROOT } from '../../../config/package-info.ts';
import { textToPieces } from '../../front-end/text-to-pieces.ts';

interface Entry {
  readonly written: string;
  readonly readings: readonly string[];
}

const OPTIONS = {
  language: 'en-US',
  normalize: true,
  chunkLength: 300,
  minChunkLength: 50,
  cueStyle: 'both',
} as const;

function readCorpus(name: string): Map<string, Entry[]> {
  const path = new URL(`test/support/text/reading-corpus/${name}`, PACKAGE_ROOT);
  const categories = new Map<string, Entry[]>();
  let entries: Entry[] = [];
  for (const line of readFileSync(fileURLToPath(path), 'utf8').split('\n')) {
    if (line.startsWith('# ')) {
      entries = [];
      categories.set(line.slice(2), entries);
    } else if (line !== '') {
      const separator = line.lastIndexOf(' = ');
      const readings = line.slice(separator + 3).split(' | ');
      entries.push({ written: line.slice(0, separator), readings: readings.map(comparable) });
    }
  }
  return categories;
}

function comparable(words: string): string {
  return words.toLowerCase().replaceAll('-', ' ');
}

function verbalize(text: string): string {
  return [...textToPieces(text, OPTIONS)].flatMap((piece) => piece.words.map((word) => word.text)).join(' ');
}

/** The entries that are not read in one of the expected ways. */
function misread(entries: readonly Entry[]): string[] {
  return entries.flatMap(({ written, readings }) => {
    const spoken = comparable(verbalize(written));
    return readings.includes(spoken)
      ? []
      : [`${written}: "${spoken}", expected "${readings.join('" or "')}"`];
  });
}

const DEVELOPMENT = ['development.txt', 'systematic.txt'] as const;
const HELD_OUT = ['held-out.txt', 'held-out-2.txt'] as const;
const DEVELOPMENT_MIN = 0.98;
const HELD_OUT_MIN = 0.97;

describe('the reading corpus', () => {
  for (const name of DEVELOPMENT) {
    for (const [category, entries] of readCorpus(name)) {
      it(`${category}: ${entries.length} texts of ${name}`, () => {
        const wrong = misread(entries);
        assert.ok(1 - wrong.length / entries.length >= DEVELOPMENT_MIN, wrong.join('\n'));
      });
    }
  }

  for (const name of HELD_OUT) {
    it(`texts of ${name}, which were not used to write the rules`, () => {
      const entries = [...readCorpus(name).values()].flat();
      const wrong = misread(entries);
      assert.ok(entries.length >= 150);
      assert.ok(1 - wrong.length / entries.length >= HELD_OUT_MIN, wrong.join('\n'));
    });
  }

  it('has 40 categories and 1500 texts', () => {
    assert.ok(readCorpus('development.txt').size >= 40);
    const texts = [...DEVELOPMENT, ...HELD_OUT].flatMap((name) => [...readCorpus(name).values()].flat());
    assert.ok(texts.length >= 1500);
  });
});
