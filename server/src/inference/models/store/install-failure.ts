import { rm } from 'node:fs/promises';
import type { Model, ModelFile, SourceKind } from '../catalogue/model.ts';
import { isDiskFull, isNotWritable, ModelStoreError } from '../files/model-store-error.ts';
import { knownBytes, type ModelSource } from '../sources/source.ts';
import type { StoreLayout } from './store-layout.ts';

/** The failure of one source. */
export interface SourceFailure {
  readonly source: SourceKind;
  readonly error: ModelStoreError;
}

/** Whether the failure would occur with any source. */
export function isFinal(error: ModelStoreError): boolean {
  return error.code === 'cancelled' || error.code === 'disk_full' || error.code === 'not_writable';
}

/** Converts system errors to a `ModelStoreError`. Other errors are returned unchanged. */
export async function explainFailure(
  error: unknown,
  { model, layout, signal }: { model: Model; layout: StoreLayout; signal?: AbortSignal | undefined },
  neededBytes: number = knownBytes(model.files),
): Promise<unknown> {
  if (error instanceof ModelStoreError) return error;
  if (signal?.aborted) {
    return new ModelStoreError(
      'cancelled',
      `Installing ${model.id} was cancelled; start it again to continue.`,
    );
  }
  if (isDiskFull(error)) {
    // Partial downloads are deleted, so that they do not occupy the full disk.
    await rm(layout.incomingFolder(model.id), { recursive: true, force: true }).catch(() => {});
    return diskFullError(model, layout.root, neededBytes, error);
  }
  if (isNotWritable(error)) {
    return new ModelStoreError(
      'not_writable',
      `${layout.root} is not writable; grant this user write access, or set MYNAH_MODELS to another folder.`,
      { cause: error },
    );
  }
  return error;
}

/** The error for a full disk, with the folder and the space that the installation requires. */
export function diskFullError(
  model: Model,
  root: string,
  neededBytes: number,
  cause?: unknown,
): ModelStoreError {
  const megabytes = Math.ceil(neededBytes / 1e6);
  return new ModelStoreError(
    'disk_full',
    `The disk of ${root} is full: installing ${model.id} needs ${neededBytes} bytes (${megabytes} MB). Free some space or set MYNAH_MODELS to a folder on another disk.`,
    { cause },
  );
}

/** One error for the failures of all sources. */
export function describeFailures(
  model: Model,
  missing: readonly ModelFile[],
  sources: readonly ModelSource[],
  failures: readonly SourceFailure[],
): ModelStoreError {
  const advice =
    'Change the order of sources with MYNAH_MODEL_SOURCES, or import files from another machine with `mynah models import PATH`.';
  if (failures.length === 0) {
    const kinds = sources.map((source) => source.kind).filter((kind) => kind !== 'built-in');
    return new ModelStoreError(
      'file_missing',
      `No configured source (${kinds.join(', ') || 'none'}) has ${missing[0]?.name} of ${model.id}. ${advice}`,
    );
  }
  const reasons = failures.map(({ source, error }) => `${source}: ${error.message}`).join(' ');
  const [onlyCode, ...otherCodes] = new Set(failures.map(({ error }) => error.code));
  const code = otherCodes.length === 0 && onlyCode !== undefined ? onlyCode : 'source_unreachable';
  return new ModelStoreError(code, `${model.id} could not be installed. ${reasons} ${advice}`, {
    cause: failures.at(-1)?.error,
  });
}
