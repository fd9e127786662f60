import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AMERICAN, BRITISH, withEd, withIng, withS } from './english-accent.ts';

test('the pronunciation of an ending depends on its stem', () => {
  const cases: readonly [string, string][] = [
    [withS('kˈæt', AMERICAN), 'kˈæts'],
    [withS('dˈɔɡ', AMERICAN), 'dˈɔɡz'],
    [withS('bˈʌs', AMERICAN), 'bˈʌsᵻz'],
    [withS('bˈʌs', BRITISH), 'bˈʌsɪz'],
    [withEd('wˈɔk', AMERICAN), 'wˈɔkt'],
    [withEd('plˈA', AMERICAN), 'plˈAd'],
    [withEd('nˈid', AMERICAN), 'nˈidᵻd'],
    [withEd('wˈAt', AMERICAN), 'wˈATᵻd'],
    [withEd('wˈAt', BRITISH), 'wˈAtɪd'],
    [withEd('stˈɑɹt', AMERICAN), 'stˈɑɹTᵻd'],
    [withEd('ˈækt', AMERICAN), 'ˈæktᵻd'],
    [withIng('ɡˈɛt', AMERICAN, 'get'), 'ɡˈɛTɪŋ'],
    [withIng('hˈɪə', BRITISH, 'hear'), 'hˈɪəɹɪŋ'],
    [withIng('sˈɔː', BRITISH, 'saw'), 'sˈɔːɪŋ'],
  ];
  for (const [actual, expected] of cases) assert.equal(actual, expected);
});
