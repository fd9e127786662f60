import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Bundles a program that uses the library for browsers. */
export async function bundle(
  program: string,
): Promise<{ readonly code: string; readonly gzippedBytes: number }> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'error',
  });
  const code = outputFiles[0]!.text;
  return { code, gzippedBytes: gzipSync(code).length };
}
