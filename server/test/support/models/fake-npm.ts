import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tarballFileName } from '../../../src/inference/models/sources/package-tarball.ts';

/** The behaviour of the fake npm. */
export interface FakeNpmBehaviour {
  /** Packages of the registry, by `name@version`. */
  readonly packages?: Readonly<Record<string, Uint8Array>>;
  /** The output of a failing run. */
  readonly failure?: { readonly stdout: string; readonly stderr: string };
  /** Duration of the simulated download, during which half of the bytes are in the cache. */
  readonly downloadMs?: number;
}

/** Creates an executable `npm` in a separate folder and returns an environment with it on the PATH. */
export async function makeFakeNpm(folder: string, behaviour: FakeNpmBehaviour): Promise<NodeJS.ProcessEnv> {
  const binFolder = join(folder, 'bin');
  const registryFolder = join(folder, 'registry');
  await mkdir(binFolder, { recursive: true });
  await mkdir(registryFolder, { recursive: true });
  for (const [packageSpec, tarball] of Object.entries(behaviour.packages ?? {})) {
    await writeFile(join(registryFolder, tarballFileName(packageSpec)), tarball);
  }
  const { failure, downloadMs = 0 } = behaviour;
  const script = `#!${process.execPath}
const { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const args = process.argv.slice(2);
appendFileSync(${JSON.stringify(join(folder, 'calls'))}, args.join(' ') + '\\n');
const option = (name) => args.find((arg) => arg.startsWith('--' + name + '=')).slice(name.length + 3);
const failure = ${JSON.stringify(failure ?? null)};
if (failure) {
  process.stdout.write(failure.stdout);
  process.stderr.write(failure.stderr);
  process.exit(1);
}
const at = args[1].lastIndexOf('@');
const fileName = args[1].slice(0, at).replace(/^@/, '').replace('/', '-') + '-' + args[1].slice(at + 1) + '.tgz';
const tarball = join(${JSON.stringify(registryFolder)}, fileName);
if (!existsSync(tarball)) {
  process.stdout.write(JSON.stringify({ error: { code: 'E404', summary: 'Not Found' } }));
  process.exit(1);
}
const content = readFileSync(tarball);
mkdirSync(join(option('cache'), '_cacache', 'tmp'), { recursive: true });
writeFileSync(join(option('cache'), '_cacache', 'tmp', 'download'), content.subarray(0, content.length / 2));
setTimeout(() => writeFileSync(join(option('pack-destination'), fileName), content), ${downloadMs});
`;
  await writeFile(join(binFolder, 'npm'), script);
  await chmod(join(binFolder, 'npm'), 0o755);
  return { PATH: binFolder };
}
