import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256Of } from '../../../../test/support/models/test-catalogue.ts';
import { CATALOGUE } from './catalogue.ts';
import { modelSizeBytes, npmPackagesOf, npmTransferBytes } from './model.ts';

test('the download of the first start is below 250 MB', () => {
  const files = CATALOGUE.models.filter((model) => model.isDefault).flatMap((model) => model.files);
  const bytes = npmTransferBytes(files, CATALOGUE.tarballBytes) ?? Number.POSITIVE_INFINITY;
  assert.ok(bytes < 250e6, `${bytes}`);
});

/** Models that are in no npm registry. */
const HUB_ONLY = ['pocket-tts', 'zipvoice'];

for (const id of HUB_ONLY) {
  test(`${id} comes from the hub with the hashes of the hub, or is pinned`, () => {
    for (const file of CATALOGUE.find(id)?.files ?? [assert.fail()]) {
      const isPinned = file.sha256 !== undefined && file.sizeBytes !== undefined;
      assert.equal(file.npm, undefined);
      assert.equal(isPinned, file.hub === undefined);
      if (file.builtIn !== undefined) assert.equal(sha256Of(file.builtIn()), file.sha256);
      else assert.ok(file.hub ?? file.release, file.name);
    }
  });
}

for (const model of CATALOGUE.models.filter(({ id }) => !HUB_ONLY.includes(id))) {
  test(`${model.id} is pinned completely`, () => {
    assert.equal(CATALOGUE.find(model.id), model);
    assert.ok((modelSizeBytes(model) ?? 0) > 0);
    assert.equal(new Set(model.files.map((file) => file.name)).size, model.files.length);
    for (const file of model.files) {
      assert.match(file.sha256 ?? '', /^[0-9a-f]{64}$/);
      assert.match(file.name, /^[\w-]+(\.\w+)+$/);
      if (file.builtIn !== undefined) assert.equal(sha256Of(file.builtIn()), file.sha256);
      else assert.ok(file.npm ?? file.pip, 'every model is available from a package registry');
      const piecesBytes = file.npm?.reduce((sum, piece) => sum + piece.sizeBytes, 0);
      if (piecesBytes !== undefined) assert.equal(piecesBytes, file.sizeBytes);
    }
    for (const packageSpec of npmPackagesOf(model.files)) {
      assert.match(packageSpec, /^(@[\w-]+\/)?[\w-]+@\d+\.\d+\.\d+$/, 'exact versions only');
      assert.ok((CATALOGUE.tarballBytes(packageSpec) ?? 0) > 0);
    }
    for (const { package: requirement } of model.files.flatMap(({ pip }) => pip ?? [])) {
      assert.match(requirement, /^[\w-]+==\d+\.\d+\.\d+$/, 'exact versions only');
      assert.ok((CATALOGUE.wheelBytes(requirement) ?? 0) > 0);
    }
  });
}

test('the catalogue has all 54 voices of Kokoro', () => {
  const files = CATALOGUE.find('kokoro-voices')?.files ?? [];
  assert.equal(files.filter(({ name }) => name.endsWith('.bin')).length, 54);
});

for (const { id, hubPath, languages } of [
  {
    id: 'piper:de_DE-thorsten-medium',
    hubPath: 'de/de_DE/thorsten/medium/de_DE-thorsten-medium.onnx',
    languages: ['de-DE'],
  },
  {
    id: 'piper:en_GB-northern_english_male-medium',
    hubPath: 'en/en_GB/northern_english_male/medium/en_GB-northern_english_male-medium.onnx',
    languages: ['en-GB'],
  },
  { id: 'piper:my-own-voice', hubPath: undefined, languages: [] },
]) {
  test(`${id} is a Piper voice${hubPath === undefined ? ' that can only be imported' : ' on the hub'}`, () => {
    const model = CATALOGUE.find(id);
    const weights = model?.files.find((file) => file.name.endsWith('.onnx'));
    assert.equal(weights?.hub?.path, hubPath);
    assert.deepEqual(model?.languages, languages);
  });
}

for (const id of [
  'piper:',
  'piper:../x',
  'piper:a/b',
  'piper:a..b',
  'piper:.x',
  'other:de_DE-x-low',
  'toString',
]) {
  test(`${id} is not a model`, () => assert.equal(CATALOGUE.find(id), undefined));
}
