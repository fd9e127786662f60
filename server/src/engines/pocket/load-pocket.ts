import { ApiError } from '../../errors.ts';
import type { EngineContext, TtsEngine } from '../engine.ts';
import { PocketEngine } from './pocket-engine.ts';
import { POCKET, POCKET_FILES } from './pocket-files.ts';

/** Loads Pocket TTS. Throws `engine_unavailable` where its runtime is not installed. */
export async function loadPocket(context: Pick<EngineContext, 'file' | 'threads'>): Promise<TtsEngine> {
  const runtime = await import('sherpa-onnx-node').catch((cause: unknown) => {
    throw new ApiError('engine_unavailable', 'The package sherpa-onnx-node is not installed.', { cause });
  });
  const paths = await Promise.all(
    Object.entries(POCKET_FILES).map(
      async ([part, name]) => [part, await context.file(POCKET, name)] as const,
    ),
  );
  // The package is CommonJS, whose exports Node does not always find by name.
  const { OfflineTts, GenerationConfig } = runtime.OfflineTts === undefined ? namespaceOf(runtime) : runtime;
  const tts = await OfflineTts.createAsync({
    model: {
      pocket: Object.fromEntries(paths) as Record<keyof typeof POCKET_FILES, string>,
      numThreads: context.threads,
      provider: 'cpu',
      debug: false,
    },
    maxNumSentences: 1,
  });
  return new PocketEngine(tts, (options) => new GenerationConfig(options));
}

function namespaceOf(runtime: typeof import('sherpa-onnx-node')): typeof import('sherpa-onnx-node') {
  return (runtime as unknown as { readonly default: typeof import('sherpa-onnx-node') }).default;
}
