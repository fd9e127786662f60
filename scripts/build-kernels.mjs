// Compiles the WebAssembly kernels (server/src/audio/kernels/*.wat) next to the compiled TypeScript, where the server
// loads them. Skips kernels whose .wasm file is newer than its source, so that an unchanged build takes milliseconds.
// Modules that are compiled beforehand (lame.wasm, see server/assets/lame) are copied.

import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('../server', import.meta.url));
const SOURCES = join(SERVER, 'src/audio/kernels');
const COMPILED = join(SERVER, 'dist/src/audio/kernels');
const SCRIPT = fileURLToPath(import.meta.url);

mkdirSync(COMPILED, { recursive: true });
const sources = readdirSync(SOURCES);
const names = sources.filter((file) => file.endsWith('.wat')).map((file) => file.slice(0, -'.wat'.length));
const compiledBeforehand = sources.filter((file) => file.endsWith('.wasm'));
const wanted = new Set([...names.map((name) => `${name}.wasm`), ...compiledBeforehand]);

for (const file of readdirSync(COMPILED)) {
  if (file.endsWith('.wasm') && !wanted.has(file)) rmSync(join(COMPILED, file));
}
for (const file of compiledBeforehand) cpSync(join(SOURCES, file), join(COMPILED, file));
for (const name of names.filter((each) => !isCurrent(each))) {
  writeFileSync(join(COMPILED, `${name}.wasm`), await compile(join(SOURCES, `${name}.wat`)));
}

function isCurrent(name) {
  const compiled = join(COMPILED, `${name}.wasm`);
  if (!existsSync(compiled)) return false;
  const { mtimeMs } = statSync(compiled);
  return [join(SOURCES, `${name}.wat`), SCRIPT].every((source) => statSync(source).mtimeMs < mtimeMs);
}

async function compile(path) {
  const { default: loadWabt } = await import('wabt');
  const module = (await loadWabt()).parseWat(path, readFileSync(path, 'utf8'), { simd: true });
  try {
    module.validate();
    return module.toBinary({}).buffer;
  } finally {
    module.destroy();
  }
}
