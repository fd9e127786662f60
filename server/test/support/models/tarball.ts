import { gzipSync } from 'node:zlib';

/** An entry of a test tarball. Type `0` is a regular file, `x` a pax header, `L` a GNU long name. */
export interface TarballEntry {
  readonly path: string;
  readonly content: Uint8Array;
  readonly type?: string;
}

/** An uncompressed tar archive. */
export function makeTar(entries: readonly TarballEntry[]): Buffer {
  const blocks = entries.flatMap(({ path, content, type = '0' }) => {
    const header = Buffer.alloc(512);
    header.write(path, 0, 100);
    header.write('0000644\0', 100);
    header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
    header.write('        ', 148);
    header.write(type, 156);
    header.write('ustar\x0000', 257, 'latin1');
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return [header, content, Buffer.alloc(-content.length & 511)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/** A gzipped tarball with the given files under `package/`, as npm writes it. */
export function makePackageTarball(files: Readonly<Record<string, Uint8Array>>): Buffer {
  const entries = Object.entries(files).map(([path, content]) => ({ path: `package/${path}`, content }));
  return gzipSync(makeTar(entries));
}
