import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CUE_VOCABULARY } from '../../../text/markup/cues.ts';
import { VOCAL_SOUNDS } from '../../engines/vocal-sound.ts';
import { CUES } from './cue-table.ts';
import { SYNONYMS } from './cue-words.ts';
import { resolveCue } from './resolve-cue.ts';

test('every cue of the published vocabulary resolves to one cue of the table', () => {
  for (const name of Object.values(CUE_VOCABULARY).flat()) {
    const resolution = resolveCue(name);
    assert.ok(Array.isArray(resolution) && resolution.length === 1, `(${name}) has no effect`);
  }
});

test('every emotion of the vocabulary has its own row, and all rows differ', () => {
  for (const name of CUE_VOCABULARY.emotions) assert.equal(CUES.get(name)?.kind, 'emotion', name);
  const rows = [...CUES].filter(([, { kind }]) => kind === 'emotion').map(([, cue]) => JSON.stringify(cue));
  assert.equal(new Set(rows).size, rows.length);
});

test('every row has an effect', () => {
  for (const [name, { delivery = {}, sound, pauseSeconds, accent }] of CUES) {
    assert.ok(Object.keys(delivery).length > 0 || (sound ?? pauseSeconds ?? accent) !== undefined, name);
  }
});

test('intensity ascends along the published scales', () => {
  const scales = [
    ['satisfied', 'happy', 'delighted'],
    ['disappointed', 'sad', 'depressed'],
    ['frustrated', 'angry', 'furious'],
    ['nervous', 'scared', 'terrified'],
    ['interested', 'excited', 'ecstatic'],
  ];
  for (const scale of scales) {
    const pitches = scale.map((name) => Math.abs(CUES.get(name)!.delivery!.pitchSemitones!));
    assert.deepEqual(
      pitches,
      [...pitches].sort((a, b) => a - b),
      scale.join(' < '),
    );
  }
});

test('every vocal sound has a cue, and every synonym refers to a row', () => {
  const sounds = new Set([...CUES.values()].map(({ sound }) => sound));
  for (const sound of VOCAL_SOUNDS) assert.ok(sounds.has(sound), sound);
  for (const name of Object.keys(SYNONYMS)) assert.ok(CUES.has(name), name);
});
