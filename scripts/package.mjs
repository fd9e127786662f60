// `npm run package`: the server as a package for npm, from a clone that is built.
//
//   npm run package -- [--version X] [--out FOLDER]
//
// The package has the bundle of the server, the weights of this project and the web console. The packages that are not in
// the bundle are its dependencies.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { UNBUNDLED_PACKAGES } from './bundle.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');
/** `mynah` is the name of the TypeScript library. */
export const SERVER_PACKAGE = 'mynah-server';

/** Files of the bundle and the console that only their developers use. */
const DEVELOPMENT = /\.map$|\.mynah-build$/;

/** Assets that are in the bundle as the server opens them. */
const BUNDLED_ASSETS = /[/\\]assets[/\\](?:front[/\\]front|decoder[/\\]decoder)-int8\.onnx(?:\.sha256)?$/;

/** Writes the tarballs of the server and the TypeScript library into a folder and returns their paths. */
export function packNpmPackages({ version, out }) {
  const stage = mkdtempSync(join(tmpdir(), 'mynah-package-'));
  try {
    mkdirSync(out, { recursive: true });
    const library = stageLibrary(join(stage, 'library'), version);
    const server = stageServer(join(stage, 'server'), version);
    return [server, library].map((folder) => pack(folder, out));
  } finally {
    rmSync(stage, { recursive: true });
  }
}

function stageLibrary(folder, version) {
  const source = join(ROOT, 'sdk/typescript');
  const { scripts: _, ...facts } = readJson(join(source, 'package.json'));
  for (const name of ['dist', 'cjs']) copy(join(source, name), join(folder, name), /\.test\.|\.tsbuildinfo$/);
  for (const name of ['README.md']) copy(join(source, name), join(folder, name));
  copyLegal(folder);
  writeJson(join(folder, 'package.json'), { ...facts, version: version ?? facts.version });
  return folder;
}

function stageServer(folder, version) {
  const source = join(ROOT, 'server');
  const facts = readJson(join(source, 'package.json'));
  copy(join(source, 'bin'), join(folder, 'bin'));
  copy(join(source, 'assets'), join(folder, 'assets'), BUNDLED_ASSETS);
  copy(join(source, 'dist/bundle'), join(folder, 'dist/bundle'), DEVELOPMENT);
  copy(join(ROOT, 'console/dist'), join(folder, 'console/dist'), DEVELOPMENT);
  copy(join(ROOT, 'README.md'), join(folder, 'README.md'));
  copyLegal(folder);
  writeJson(join(folder, 'package.json'), {
    name: SERVER_PACKAGE,
    version: version ?? facts.version,
    description: 'Mynah: a self-hosted voice AI server that speaks the Fish Audio API.',
    license: facts.license,
    type: facts.type,
    engines: facts.engines,
    bin: facts.bin,
    dependencies: onlyUnbundled(facts.dependencies),
    optionalDependencies: onlyUnbundled(facts.optionalDependencies),
  });
  return folder;
}

function onlyUnbundled(dependencies) {
  return Object.fromEntries(
    Object.entries(dependencies).filter(([name]) => UNBUNDLED_PACKAGES.includes(name)),
  );
}

function copyLegal(folder) {
  for (const name of ['LICENSE', 'NOTICE']) copy(join(ROOT, name), join(folder, name));
}

function copy(from, to, leftOut) {
  if (!existsSync(from))
    throw new Error(`${relative(ROOT, from)} is missing. Run npm start or npm run build first.`);
  cpSync(from, to, {
    recursive: true,
    filter: (path) => leftOut === undefined || statSync(path).isDirectory() || !leftOut.test(path),
  });
}

function pack(folder, out) {
  // npm sets equal times and modes, so that equal files give equal bytes.
  const output = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', out], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 26,
  });
  return join(out, JSON.parse(output)[0].filename.replace('@', '').replace('/', '-'));
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      version: { type: 'string' },
      out: { type: 'string', default: join(ROOT, 'release') },
      explain: { type: 'boolean' },
    },
  });
  if (values.explain) {
    console.error(
      'npm pack here would leave out the library and the console. Run npm run package in the repository.',
    );
    process.exit(1);
  }
  for (const path of packNpmPackages({ ...values, out: resolve(values.out) })) {
    console.log(`${path}  ${(statSync(path).size / 2 ** 20).toFixed(1)} MB`);
  }
}
