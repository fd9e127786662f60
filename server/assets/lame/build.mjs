// Compiles LAME to server/src/audio/kernels/lame.wasm.
//   node server/assets/lame/build.mjs [FILE]
// Needs tar, patch, clang, wasm-ld and wasi-libc (README.md).
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const TARGET = resolve(
  process.argv[2] ?? fileURLToPath(new URL('../../src/audio/kernels/lame.wasm', import.meta.url)),
);
const WASI_LIBRARIES = process.env.WASI_LIBRARIES ?? '/usr/lib/wasm32-wasi';

// Without -ffast-math, so that unchanged sources of LAME give the bytes of other builds of LAME.
const COMPILE = ['--target=wasm32-wasi', '-O2', '-msimd128', '-DNDEBUG', '-DHAVE_CONFIG_H'];
const LINK = ['--no-entry', '--gc-sections', '--strip-all', '-O3'];
// A stack below the data traps when it overflows.
const STACK = ['-z', 'stack-size=131072', '--stack-first'];

const folder = mkdtempSync(join(tmpdir(), 'lame-'));
try {
  run('tar', ['-xf', join(HERE, 'lame-3.100.tar.xz'), '-C', folder]);
  const lame = join(folder, 'lame-3.100');
  run('patch', ['-p1', '-s', '-d', lame, '-i', join(HERE, 'lame.patch')]);
  const sources = join(lame, 'libmp3lame');
  const include = [HERE, join(lame, 'include'), sources].map((path) => `-I${path}`);
  const objects = readdirSync(sources)
    .filter((name) => name.endsWith('.c'))
    .sort()
    .map((name) => compile(join(sources, name), ['-w', ...include], join(folder, `${name}.o`)));
  objects.push(compile(join(HERE, 'mp3.c'), ['-Wall', '-Wextra', ...include], join(folder, 'mp3.o')));
  run('wasm-ld', [...LINK, ...STACK, ...objects, `-L${WASI_LIBRARIES}`, '-lc', '-o', TARGET]);
} finally {
  rmSync(folder, { recursive: true });
}
const hash = createHash('sha256').update(readFileSync(TARGET)).digest('hex');
console.log(`${TARGET}\n${statSync(TARGET).size} bytes, SHA-256 ${hash}`);

function compile(source, flags, object) {
  run('clang', [...COMPILE, ...flags, '-c', source, '-o', object]);
  return object;
}

function run(command, args) {
  execFileSync(command, args, { stdio: 'inherit' });
}
