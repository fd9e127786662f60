import { createHash } from 'node:crypto';
import type { Catalogue } from '../../../src/inference/models/catalogue/catalogue.ts';
import type { Model, ModelFile } from '../../../src/inference/models/catalogue/model.ts';
import { findPiperVoice } from '../../../src/inference/models/catalogue/piper-voice.ts';

/** SHA-256 in hexadecimal. */
export function sha256Of(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Pseudo-random bytes, equal in every run. */
export function makeBytes(sizeBytes: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(sizeBytes);
  let state = seed;
  for (let index = 0; index < sizeBytes; index++) {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    bytes[index] = state >> 16;
  }
  return bytes;
}

/** A pinned file with the given content. */
export function pinnedFile(name: string, content: Uint8Array, sources: Partial<ModelFile> = {}): ModelFile {
  return { name, sizeBytes: content.length, sha256: sha256Of(content), ...sources };
}

/** A model of the given files. */
export function makeModel(id: string, files: readonly ModelFile[], isDefault = false): Model {
  return {
    id,
    title: `Model ${id}`,
    task: 'tts',
    languages: [],
    licence: 'MIT',
    credit: '',
    isDefault,
    files,
  };
}

/** A catalogue of the given models and all Piper voices. */
export function makeCatalogue(...models: Model[]): Catalogue {
  return {
    models,
    find: (id) => models.find((model) => model.id === id) ?? findPiperVoice(id),
    tarballBytes: () => undefined,
    wheelBytes: () => undefined,
  };
}
