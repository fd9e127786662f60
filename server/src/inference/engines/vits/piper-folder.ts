import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type PiperConfig, parsePiperConfig } from './piper-config.ts';

/** A Piper voice somebody put into a folder. */
export interface FoundPiperVoice {
  /** The file's name without its endings, such as `de_DE-thorsten-medium`. */
  readonly name: string;
  readonly modelPath: string;
  readonly configPath: string;
  readonly config: PiperConfig;
}

/** A file that looks like half of a voice, or a voice whose description cannot be read. */
export interface BrokenPiperVoice {
  readonly path: string;
  /** One sentence that says what is wrong. */
  readonly problem: string;
}

const MODEL_ENDING = '.onnx';
const CONFIG_ENDING = '.onnx.json';

/**
 * Lists the voices of a folder: every `name.onnx` with a readable `name.onnx.json` beside it. What is broken
 * is told, not thrown. A folder that does not exist has no voices.
 */
export async function findPiperVoices(
  folder: string,
): Promise<{ voices: FoundPiperVoice[]; broken: BrokenPiperVoice[] }> {
  const files = new Set(await listFiles(folder));
  const voices: FoundPiperVoice[] = [];
  const broken: BrokenPiperVoice[] = [];
  for (const file of [...files].sort()) {
    const path = join(folder, file);
    if (file.endsWith(CONFIG_ENDING)) {
      const modelFile = file.slice(0, -'.json'.length);
      if (!files.has(modelFile)) broken.push({ path, problem: `The model ${modelFile} is not beside it.` });
      continue;
    }
    if (!file.endsWith(MODEL_ENDING)) continue;
    const name = file.slice(0, -MODEL_ENDING.length);
    const configPath = `${path}.json`;
    if (!files.has(`${file}.json`)) {
      broken.push({ path, problem: `Its description ${file}.json is not beside it.` });
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
