// Joins the compiled server and the packages that are plain JavaScript into a few files in server/dist/bundle, from which
// `npm start`, the command `mynah` and the worker processes run. Node loads each module file on its own: the 1,200 files
// of the server take three times as long as the bundle. Tests and tools import the files of server/dist/src as before.
//
// Every entry is at the top of the folder, next to the files that modules find by `import.meta.url`: the entries of the
// worker processes and of threads, the WebAssembly kernels, and the networks of the default engine as they are opened.

import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const SERVER = fileURLToPath(new URL('../server', import.meta.url));
const COMPILED = join(SERVER, 'dist/src');
const BUNDLE = join(SERVER, 'dist/bundle');
const KERNELS = join(COMPILED, 'audio/kernels');

/**
 * Name of each entry and its compiled file, by process. The processes share no files: every combination of entries that shares
 * modules is a file, and 100 files instead of 30 take 0.1 s of the start of the server.
 */
const ENTRIES = [
  { main: 'main.js', 'v8-flags': 'concurrency/v8-flags.js' },
  { cli: 'cli/main.js' },
  { 'speech-main': 'inference/runtime/speech/speech-main.js' },
  { 'transcription-main': 'inference/runtime/transcription/transcription-main.js' },
  {
    'cloning-main': 'inference/runtime/cloning/cloning-main.js',
    'search-thread-main': 'inference/engines/kokoro/cloning/search-thread-main.js',
  },
];

/**
 * Packages with native code, WebAssembly or data that they load from their own folder, and CommonJS packages that are
 * loaded by `import()`, whose names a bundle loses.
 */
export const UNBUNDLED_PACKAGES = [
  '@echogarden/espeak-ng-emscripten',
  '@nats-io/transport-node',
  '@opentelemetry/api',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
  '@wasm-audio-decoders/ogg-vorbis',
  'libflacjs',
  'libopus-wasm',
  'libsql',
  'mpg123-decoder',
  'msgpackr',
  'onnxruntime-node',
  'pino',
  'sherpa-onnx-node',
  'yauzl',
];

/** CommonJS packages ask for Node's own modules by `require`, which a module has not. */
const REQUIRE = `import { createRequire as createRequireOfBundle } from 'node:module';
const require = createRequireOfBundle(import.meta.url);`;

/** Half of Zod is its messages in 50 languages. Zod itself uses the English ones; no part of the server exports the others. */
const ENGLISH_MESSAGES = {
  name: 'english-messages',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]zod[/\\]v4[/\\]locales[/\\]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/**
 * Modules that packages load and the server does not use: the default metrics of prom-client (with OpenTelemetry), Fastify's
 * compilers of JSON schemas (Zod takes their place) and YAML (the OpenAPI document is JSON). V8 keeps the source of what is
 * loaded.
 */
const UNUSED_MODULES = {
  name: 'unused-modules',
  setup({ onLoad }) {
    const filter =
      /[/\\]node_modules[/\\](?:prom-client[/\\]lib[/\\]defaultMetrics|@fastify[/\\](?:ajv-compiler|fast-json-stringify-compiler)[/\\]index|yaml[/\\]dist[/\\]index)\.js$/;
    onLoad({ filter }, ({ path }) => ({
      contents: `module.exports = () => { throw new Error('Not part of the bundle: ${packageFile(path)}'); };`,
    }));
  },
};

/**
 * Unmasks four bytes of a WebSocket message at once. `ws` does so byte by byte without a package of native code: 8 MB, which come
 * in one turn of the event loop, take 60 ms of it.
 */
const FAST_UNMASK = {
  name: 'fast-unmask',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]node_modules[/\\]ws[/\\]lib[/\\]buffer-util\.js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const original = 'function _unmask(buffer, mask) {\n';
      if (!source.includes(original)) throw new Error(`${packageFile(path)} has no function _unmask.`);
      return {
        contents:
          source.replace(original, `${original}  if (unmaskWords(buffer, mask)) return;\n`) + unmaskWords,
      };
    });
  },
};

/** Unmasks a long message. False for a short one. */
export function unmaskWords(buffer, mask) {
  const { length, byteOffset } = buffer;
  if (length < 64) return false;
  let at = 0;
  // To the first aligned word.
  for (; (byteOffset + at) % 4 !== 0; at++) buffer[at] ^= mask[at % 4];
  const words = new Uint32Array(buffer.buffer, byteOffset + at, (length - at) >> 2);
  const [key] = new Uint32Array(Uint8Array.from({ length: 4 }, (_, index) => mask[(at + index) % 4]).buffer);
  for (let index = 0; index < words.length; index++) words[index] ^= key;
  for (at += 4 * words.length; at < length; at++) buffer[at] ^= mask[at % 4];
  return true;
}

/** `mynah serve` runs the entry `main`, not a copy of the server among the files of the command line. */
const SERVER_OF_COMMAND = {
  name: 'server-of-command',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/main\.js$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './main.js', external: true } : undefined,
    );
  },
};

/**
 * Escapes characters beyond Latin-1 in the files of the server. esbuild does so except in regular expressions. V8 keeps a
 * module with one such character as two bytes per character. Escapes of UTF-16 code units have the same meaning in
 * strings, templates and regular expressions.
 */
const ESCAPED_SOURCES = {
  name: 'escaped-sources',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]dist[/\\]src[/\\].*\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(
        /[\u0100-\uffff]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
      loader: 'js',
    }));
  },
};

/** Bundles into a folder beside the old bundle, which takes its place when it is complete. */
export async function bundleServer() {
  const fresh = `${BUNDLE}.${process.pid}`;
  try {
    const metafiles = await Promise.all(ENTRIES.map((entries) => bundleProcess(entries, fresh)));
    assertNamesAreKept(metafiles.flatMap(({ outputs }) => Object.values(outputs)));
    for (const file of readdirSync(KERNELS).filter((name) => name.endsWith('.wasm'))) {
      cpSync(join(KERNELS, file), join(fresh, file));
    }
    await writeNetworks(fresh);
    writeFileSync(
      join(fresh, 'THIRD-PARTY-LICENSES.txt'),
      licencesOf(metafiles.flatMap(({ inputs }) => Object.keys(inputs))),
    );
    rmSync(BUNDLE, { recursive: true, force: true });
    renameSync(fresh, BUNDLE);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Bundles the entries of one process. Returns esbuild's account of the files. */
async function bundleProcess(entries, outdir) {
  const { metafile } = await build({
    entryPoints: Object.fromEntries(
      Object.entries(entries).map(([name, file]) => [name, join(COMPILED, file)]),
    ),
    outdir,
    absWorkingDir: SERVER,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: true,
    sourcesContent: false,
    external: UNBUNDLED_PACKAGES,
    banner: { js: REQUIRE },
    plugins: [ENGLISH_MESSAGES, UNUSED_MODULES, FAST_UNMASK, SERVER_OF_COMMAND, ESCAPED_SOURCES],
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
}

/** Writes the networks of the default engine as they are opened: making them from the assets takes 0.2 s of a start. */
async function writeNetworks(folder) {
  const file = join(COMPILED, 'inference/engines/kokoro/networks/built-networks.js');
  const { buildNetworks } = await import(pathToFileURL(file).href);
  const networks = await buildNetworks((name) => join(SERVER, 'assets', name));
  for (const [name, content] of networks) writeFileSync(join(folder, name), content);
}

/** Throws where `import()` of a CommonJS package would have a default export only. */
function assertNamesAreKept(outputs) {
  const lost = outputs.filter(
    ({ entryPoint, exports }) => entryPoint?.includes('node_modules/') && exports.join() === 'default',
  );
  if (lost.length === 0) return;
  const files = lost.map(({ entryPoint }) => entryPoint).join(', ');
  throw new Error(`Add the packages of these files to UNBUNDLED_PACKAGES: ${files}`);
}

/** The licences of the packages that these files belong to. */
function licencesOf(files) {
  const folders = new Set(
    files.filter((file) => file.includes('node_modules/')).map((file) => packageFolder(join(SERVER, file))),
  );
  const sections = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    const text = file === undefined ? `Licence: ${license}` : readFileSync(join(folder, file), 'utf8').trim();
    return `${name} ${version}\n\n${text}\n`;
  });
  return `The files of this folder contain parts of these packages.\n\n${sections.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

/** `prom-client/lib/defaultMetrics.js`: a path below the last `node_modules`, with slashes. */
function packageFile(path) {
  const parts = path.split(sep);
  return parts.slice(parts.lastIndexOf('node_modules') + 1).join('/');
}

/** The folder of the package that a file belongs to: the first below the last `node_modules` in its path. */
function packageFolder(path) {
  const parts = path.split(sep);
  const start = parts.lastIndexOf('node_modules') + 1;
  const end = start + (parts[start].startsWith('@') ? 2 : 1);
  return parts.slice(0, end).join(sep);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleServer();
