import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type PiperConfig, parsePiperConfig } from './piper-config.ts';

/** A Piper voice found in a folder. */
export interface FoundPiperVoice {
  /** File name without extension, such as `de_DE-thorsten-medium`. */
  readonly name: string;
  readonly modelPath: string;
  readonly configPath: string;
  readonly config: PiperConfig;
}

/** An incomplete voice, or a voice with an invalid configuration. */
export interface BrokenPiperVoice {
  readonly path: string;
  /** One sentence that describes the problem. */
  readonly problem: string;
}

const MODEL_EXTENSION = '.onnx';
const CONFIG_EXTENSION = '.onnx.json';

/**
 * Lists the voices of a folder: every `name.onnx` with a valid `name.onnx.json`. Problems are returned, not thrown.
 * A missing folder has no voices.
 */
export async function findPiperVoices(
  folder: string,
): Promise<{ voices: FoundPiperVoice[]; broken: BrokenPiperVoice[] }> {
  const files = new Set(await listFiles(folder));
  const voices: FoundPiperVoice[] = [];
  const broken: BrokenPiperVoice[] = [];
  for (const file of [...files].sort()) {
    const path = join(folder, file);
    if (file.endsWith(CONFIG_EXTENSION)) {
      const modelFile = file.slice(0, -'.json'.length);
      if (!files.has(modelFile)) broken.push({ path, problem: `The model ${modelFile} is missing.` });
      continue;
    }
    if (!file.endsWith(MODEL_EXTENSION)) continue;
    const name = file.slice(0, -MODEL_EXTENSION.length);
    const configPath = `${path}.json`;
    if (!files.has(`${file}.json`)) {
      broken.push({ path, problem: `The configuration ${file}.json is missing.` });
      continue;
    }
    try {
      const config = parsePiperConfig(await readFile(configPath, 'utf8'));
      voices.push({ name, modelPath: path, configPath, config });
    } catch (error) {
      broken.push({ path: configPath, problem: error instanceof Error ? error.message : String(error) });
    }
  }
  return { voices, broken };
}

async function listFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => !entry.isDirectory()).map((entry) => entry.name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
