import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { EngineVoice } from '../../../domain/engines/tts-engine.ts';
import { ApiError } from '../../../errors.ts';

/** Numbers in one style row: 128 of timbre, then 128 of prosody. */
export const STYLE_SIZE = 256;
/** A voice has one row per number of phonemes. */
const STYLE_ROWS = 510;

const EXTENSION = '.bin';

/** Gives the style row of a voice for a text of so many phonemes. Voices are read when first asked for. */
export class Styles {
  /** The voices there are. */
  readonly names: readonly string[];
  readonly #folder: string;
  readonly #tables = new Map<string, Promise<Float32Array>>();

  private constructor(folder: string, names: readonly string[]) {
    this.#folder = folder;
    this.names = names;
  }

  static async inFolder(folder: string): Promise<Styles> {
    const files = await readdir(folder);
    const names = files.filter((file) => file.endsWith(EXTENSION)).map((file) => basename(file, EXTENSION));
    return new Styles(folder, names.sort());
  }

  async row(voice: EngineVoice, phonemes: number): Promise<Float32Array> {
    const table = voice.kind === 'named' ? await this.#table(voice.name) : vectorOf(voice);
    if (table.length === STYLE_SIZE) return table;
    if (table.length !== STYLE_ROWS * STYLE_SIZE) {
      throw new ApiError(
        'voice_not_found',
        `A Kokoro voice has ${STYLE_SIZE} numbers, or that many per length.`,
      );
    }
    const row = Math.min(Math.max(phonemes, 1), STYLE_ROWS) - 1;
    return table.slice(row * STYLE_SIZE, (row + 1) * STYLE_SIZE);
  }

  #table(name: string): Promise<Float32Array> {
    if (!this.names.includes(name)) {
      return Promise.reject(new ApiError('voice_not_found', `Kokoro has no voice named "${name}".`));
    }
    let table = this.#tables.get(name);
    if (table === undefined) {
      table = readFloats(join(this.#folder, `${name}${EXTENSION}`));
      this.#tables.set(name, table);
    }
    return table;
  }
}

async function readFloats(path: string): Promise<Float32Array> {
  const bytes = await readFile(path);
  const floats = new Float32Array(bytes.length / 4);
  for (let index = 0; index < floats.length; index++) floats[index] = bytes.readFloatLE(index * 4);
  return floats;
}

/** The numbers of a voice; none for a recording, which is no Kokoro voice. */
function vectorOf(voice: Exclude<EngineVoice, { readonly kind: 'named' }>): Float32Array {
  return voice.kind === 'vector' ? voice.values : new Float32Array();
}
