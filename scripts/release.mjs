// `npm run release -- --version X`: everything that a release candidate consists of, in a folder, from a clone that is
// built: packages of the server and of both client libraries, changelog section, SBOM (CycloneDX), licence report and
// checksums. Changes nothing in the clone and publishes nothing. Two runs on one commit give equal bytes.
//
//   npm run release -- --version 0.2.0 [--out FOLDER]
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packNpmPackages } from './package.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');
const VERSION = /^\d+\.\d+\.\d+(-[0-9a-z.-]+)?$/;
/** The tools that build the Python package. Pinned, because they write their version into it. */
const PYTHON_TOOLS = ['build==1.3.0', 'hatchling==1.27.0'];

const { values } = parseArgs({ options: { version: { type: 'string' }, out: { type: 'string' } } });
if (!VERSION.test(values.version ?? '')) fail('Usage: npm run release -- --version 0.2.0 [--out FOLDER]');
const { version } = values;
const out = resolve(values.out ?? join(ROOT, 'release', version));
if (existsSync(out) && readdirSync(out).length > 0) fail(`${out} is not empty.`);
mkdirSync(out, { recursive: true });

/** The time of the commit, so that all runs on it agree. */
const epoch = process.env.SOURCE_DATE_EPOCH ?? git('log', '-1', '--format=%ct');
const scratch = mkdtempSync(join(tmpdir(), 'mynah-release-'));
try {
  packNpmPackages({ version, out });
  buildPythonPackage();
  write('CHANGELOG.md', changelogSection());
  const bom = createSbom();
  write(`mynah-server-${version}.cdx.json`, `${JSON.stringify(bom, null, 2)}\n`);
  write('LICENCES.md', licenceReport(bom));
  // Last, because it covers all others.
  const names = readdirSync(out).sort();
  write('SHA256SUMS', names.map((name) => `${sha256(join(out, name))}  ${name}\n`).join(''));
  for (const name of readdirSync(out).sort()) {
    console.log(`${(statSync(join(out, name)).size / 1000).toFixed(1).padStart(10)} kB  ${name}`);
  }
  console.log(`\nThe release candidate is in ${out}.`);
} finally {
  rmSync(scratch, { recursive: true });
}

function buildPythonPackage() {
  const source = join(scratch, 'python');
  cpSync(join(ROOT, 'sdk/python'), source, {
    recursive: true,
    filter: (path) => !/__pycache__|\.venv|\.egg-info|\/dist$|\.(mypy|pytest)_cache/.test(path),
  });
  replaceIn(join(source, 'pyproject.toml'), /^version = ".*"$/m, `version = "${pythonVersion()}"`);
  replaceIn(
    join(source, 'src/mynah/__init__.py'),
    /^__version__ = ".*"$/m,
    `__version__ = "${pythonVersion()}"`,
  );
  const venv = join(scratch, 'venv');
  run('python3', ['-m', 'venv', venv]);
  const python = join(venv, 'bin/python');
  run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PYTHON_TOOLS]);
  run(python, ['-m', 'build', '--no-isolation', '--outdir', out, source], { SOURCE_DATE_EPOCH: epoch });
  rmSync(join(out, '.gitignore'), { force: true });
}

/** `0.2.0-rc.1` is `0.2.0rc1` for Python. */
function pythonVersion() {
  return version.replace(
    /-(rc|alpha|beta)\.?(\d+)$/,
    (_, kind, number) => `${kind === 'rc' ? 'rc' : kind[0]}${number}`,
  );
}

/** The section of this version, else the unreleased one. */
function changelogSection() {
  const text = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  const sections = text.split(/^(?=## )/m).slice(1);
  const section =
    sections.find((candidate) => candidate.startsWith(`## ${version}\n`)) ??
    sections.find((candidate) => candidate.startsWith('## Unreleased\n'));
  if (section === undefined)
    fail('CHANGELOG.md has neither a section of this version nor an unreleased one.');
  return `${section.replace(/^## .*$/m, `## ${version}`).trimEnd()}\n`;
}

/** The packages that the server installs, as in the lockfile. */
function createSbom() {
  const args = ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only', '--workspace=server'];
  const bom = JSON.parse(run('npm', args, {}, copyManifests()));
  const date = new Date(epoch * 1000).toISOString();
  const digest = createHash('sha256')
    .update(`${version}\n${JSON.stringify(bom.components)}`)
    .digest('hex');
  return {
    ...bom,
    // Random in the output of npm.
    serialNumber: `urn:uuid:${digest.slice(0, 8)}-${digest.slice(8, 12)}-4${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`,
    metadata: {
      ...bom.metadata,
      timestamp: date,
      component: { ...bom.metadata.component, name: 'mynah-server', version },
    },
  };
}

/** A copy of the workspace without its code. npm refuses one whose root has no version. */
function copyManifests() {
  const folder = join(scratch, 'manifests');
  const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const name of [
    'package.json',
    'package-lock.json',
    ...workspaces.map((path) => `${path}/package.json`),
  ]) {
    cpSync(join(ROOT, name), join(folder, name));
  }
  for (const name of ['package.json', 'package-lock.json']) {
    const facts = { ...JSON.parse(readFileSync(join(folder, name), 'utf8')), version };
    if (facts.packages) facts.packages[''] = { ...facts.packages[''], version };
    writeFileSync(join(folder, name), JSON.stringify(facts));
  }
  return folder;
}

function licenceReport({ components }) {
  const rows = components
    .map(({ group, name, version, licenses = [] }) => {
      const licence = licenses
        .map(({ license, expression }) => expression ?? license.id ?? license.name)
        .join(', ');
      return { name: group ? `${group}/${name}` : name, version, licence: licence || licenceInFolder(name) };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const missing = rows.filter(({ licence }) => licence === undefined);
  if (missing.length > 0) fail(`No licence is known of: ${missing.map(({ name }) => name).join(', ')}.`);
  return [
    `# Licences of the packages of Mynah ${version}`,
    '',
    'Mynah itself: Apache-2.0. Models and data: see NOTICE. Packages that the server installs:',
    '',
    '| package | version | licence |',
    '| --- | --- | --- |',
    ...rows.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`),
    '',
  ].join('\n');
}

/** The licence that an installed package names; the lockfile lacks some. */
function licenceInFolder(name) {
  try {
    const { license } = JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8'));
    return typeof license === 'string' ? license : license?.type;
  } catch {
    return undefined;
  }
}

function write(name, text) {
  writeFileSync(join(out, name), text);
}

function replaceIn(path, pattern, replacement) {
  const text = readFileSync(path, 'utf8');
  if (!pattern.test(text)) fail(`${path} has no version.`);
  writeFileSync(path, text.replace(pattern, replacement));
}

function git(...args) {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
}

function run(command, args, env = {}, cwd = ROOT) {
  return execFileSync(command, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 28,
  });
}

function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function fail(problem) {
  console.error(problem);
  process.exit(1);
}
