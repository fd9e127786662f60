import { rm } from 'node:fs/promises';
import type { Model, ModelFile, SourceKind } from '../catalogue/model.ts';
import { isDiskFull, isNotWritable, ModelStoreError } from '../files/model-store-error.ts';
import { knownBytes, type ModelSource } from '../sources/source.ts';
import type { StoreLayout } from './store-layout.ts';

/** Why one source did not bring a model. */
export interface SourceFailure {
  readonly source: SourceKind;
  readonly error: ModelStoreError;
}

/** True for failures that another source cannot mend. */
export function isFinal(error: ModelStoreError): boolean {
  return error.code === 'cancelled' || error.code === 'disk_full' || error.code === 'not_writable';
}

/** Turns what the system throws into a sentence, and leaves our own errors and bugs as they are. */
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
    // A full disk must not stay full of what cannot be finished.
    await rm(layout.incomingFolder(model.id), { recursive: true, force: true }).catch(() => {});
    return diskFullError(model, layout.root, neededBytes, error);
  }
  if (isNotWritable(error)) {
    return new ModelStoreError(
      'not_writable',
      `${layout.root} cannot be written to; give this user the right to, or set MYNAH_MODELS to another folder.`,
      { cause: error },
    );
  }
  return error;
}

/** Says which folder is on a full disk and how much room a model takes while it is being installed. */
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

/** One error for all that was tried. */
export function describeFailures(
  model: Model,
  missing: readonly ModelFile[],
  sources: readonly ModelSource[],
  failures: readonly SourceFailure[],
): ModelStoreError {
  const advice =
    'Change the order of sources with MYNAH_MODEL_SOURCES, or bring the files from another machine with `mynah models import PATH`.';
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
