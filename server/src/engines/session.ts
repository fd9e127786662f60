import { InferenceSession } from 'onnxruntime-node';

/**
 * Opens a model for inference on the CPU. Spinning threads would make every other stream on the machine pay
 * for one that waits, so it is off. The arena is on: engines decode in windows, which bounds what it holds,
 * and over 500 utterances memory stays flatter than with an allocation per tensor.
 */
export function openSession(path: string, options: { readonly threads: number }): Promise<InferenceSession> {
  return InferenceSession.create(path, {
    executionProviders: ['cpu'],
    intraOpNumThreads: options.threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    enableCpuMemArena: true,
    enableMemPattern: false,
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  });
}
