// Builds the web console into `dist`: hashed files, each also compressed with brotli and gzip.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { viteOptions } from './vite-options.mjs';

const COMPRESSED = /\.(html|js|css|svg|json|webmanifest)$/;
const DIST = fileURLToPath(new URL('dist', import.meta.url));

/** Builds into `console/dist`. */
export async function buildConsole() {
  if (existsSync(DIST)) rmSync(DIST, { recursive: true });
  await build({ ...viteOptions(), logLevel: 'error' });
  for (const entry of readdirSync(DIST, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !COMPRESSED.test(path)) continue;
    const content = readFileSync(path);
    const quality = {
      [constants.BROTLI_PARAM_QUALITY]: 9,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    };
    writeFileSync(`${path}.br`, brotliCompressSync(content, { params: quality }));
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildConsole();
