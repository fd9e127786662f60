import type { TtsEngineContext } from '../../../domain/engines/tts-engine.ts';

/** The paths of a model's files by their names in the runtime's configuration. */
export async function modelPaths<Part extends string>(
  context: Pick<TtsEngineContext, 'file'>,
  model: string,
  files: Readonly<Record<Part, string>>,
): Promise<Record<Part, string>> {
  const names = Object.entries(files) as [Part, string][];
  const paths = await Promise.all(
    names.map(async ([part, name]) => [part, await context.file(model, name)] as const),
  );
  return Object.fromEntries(paths) as Record<Part, string>;
}
