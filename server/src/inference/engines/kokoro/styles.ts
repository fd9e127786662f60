import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { EngineVoice } from '../../../domain/engines/tts-engine.ts';
import { ApiError } from '../../../errors.ts';

/** Values of one style row: 128 for timbre, then 128 for prosody. */
export const STYLE_SIZE = 256;
/** A voice has one style row per phoneme count. */
const STYLE_ROWS = 510;

const EXTENSION = '.bin';

/** Style tables of the voices. Files are read on first use. */
export class Styles {
  /** Names of the available voices. */
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

  /** The style row of a voice for a text with this many phonemes. */
  async row(voice: EngineVoice, phonemes: number): Promise<Float32Array> {
    const table = voice.kind === 'named' ? await this.#table(voice.name) : vectorOf(voice);
    if (table.length === STYLE_SIZE) return table;
    if (table.length !== STYLE_ROWS * STYLE_SIZE) {
      throw new ApiError(
        'voice_not_found',
        `A Kokoro voice vector has ${STYLE_SIZE} values, or ${STYLE_ROWS} rows of ${STYLE_SIZE}.`,
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

/** The vector of a voice; empty for a reference recording, which Kokoro does not support. */
function vectorOf(voice: Exclude<EngineVoice, { readonly kind: 'named' }>): Float32Array {
  return voice.kind === 'vector' ? voice.values : new Float32Array();
}
