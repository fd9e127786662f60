import { createHash } from 'node:crypto';
import { cpus } from 'node:os';
import { env, InferenceSession } from 'onnxruntime-node';
import type { EngineContext } from '../../../domain/engines/tts-engine.ts';

/** How a model is opened. */
export interface SessionOptions {
  readonly threads: number;
  /** The file was written by `optimized`, or is an asset that was fused when it was made: nothing is left to improve. */
  readonly isOptimized?: boolean;
}

const ERRORS_ONLY = 3;

/**
 * Opens a model for inference on the CPU. Spinning threads would make every other stream on the machine pay
 * for one that waits, so it is off. The arena is on: engines decode in windows, which bounds what it holds,
 * and over 500 utterances memory stays flatter than with an allocation per tensor.
 */
export function openSession(
  path: string,
  { threads, isOptimized = false }: SessionOptions,
): Promise<InferenceSession> {
  return InferenceSession.create(path, {
    executionProviders: ['cpu'],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: isOptimized ? 'disabled' : 'all',
    enableCpuMemArena: true,
    enableMemPattern: false,
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  });
}

/**
 * The path of a model as the runtime improves it for this kind of processor, made once: a worker that opens it
 * starts in half the time.
 */
export function optimized(
  context: EngineContext,
  model: { readonly id: string; readonly name: string; readonly version: number; readonly path: string },
): Promise<string> {
  const version = `${model.version}-${runtimeId()}`;
  return context.derive(model.id, `${model.name}-optimized.onnx`, version, async (outPath) => {
    const session = await InferenceSession.create(model.path, {
      executionProviders: ['cpu'],
      graphOptimizationLevel: 'all',
      optimizedModelFilePath: outPath,
      // It warns that the file is for this machine only, which its name says.
      logSeverityLevel: ERRORS_ONLY,
    });
    await session.release();
  });
}

function runtimeId(): string {
  const facts = [env.versions.node ?? '', process.arch, cpus()[0]?.model ?? ''].join('|');
  return createHash('sha256').update(facts).digest('hex').slice(0, 12);
}
