import { createHash } from 'node:crypto';
import { cpus } from 'node:os';
import type { TtsEngineContext } from '../../../domain/engines/tts-engine.ts';
import { env, InferenceSession } from './onnxruntime.ts';

export interface SessionOptions {
  readonly threads: number;
  /** The file was written by `deriveOptimized`, or is an asset exported in optimized form. */
  readonly isOptimized?: boolean;
  /**
   * Optimizations that may change results by rounding: without them, products with dequantized weights stay products of
   * floats. Default: true.
   */
  readonly mayRound?: boolean;
}

const ERRORS_ONLY = 3;

/**
 * Opens a model for inference on the CPU. Thread spinning is off, since it takes CPU time from other streams. The
 * memory arena is on: windowed decoding bounds its size, and over 500 utterances memory grows less than with an
 * allocation per tensor.
 */
export function openSession(
  path: string,
  { threads, isOptimized = false, mayRound = true }: SessionOptions,
): Promise<InferenceSession> {
  return InferenceSession.create(path, {
    executionProviders: ['cpu'],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: isOptimized ? 'disabled' : mayRound ? 'all' : 'basic',
    enableCpuMemArena: true,
    enableMemPattern: false,
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  });
}

/** Derives the graph that the runtime optimizes for this processor. Opening it halves the start time of a worker. */
export function deriveOptimized(
  context: TtsEngineContext,
  model: { readonly id: string; readonly name: string; readonly version: number; readonly path: string },
): Promise<string> {
  const version = `${model.version}-${runtimeId()}`;
  return context.derive(model.id, `${model.name}-optimized.onnx`, version, async (outPath) => {
    const session = await InferenceSession.create(model.path, {
      executionProviders: ['cpu'],
      graphOptimizationLevel: 'all',
      optimizedModelFilePath: outPath,
      // Suppresses the warning that the file is specific to this machine; its version says so.
      logSeverityLevel: ERRORS_ONLY,
    });
    await session.release();
  });
}

function runtimeId(): string {
  const facts = [env.versions.node ?? '', process.arch, cpus()[0]?.model ?? ''].join('|');
  return createHash('sha256').update(facts).digest('hex').slice(0, 12);
}
