import { InferenceSession } from 'onnxruntime-node';

/**
 * Opens a model for inference on the CPU. Spinning threads would make every other stream on the
 * machine pay for one that waits, so it is off; the arena is off because utterances differ in length
 * and it would grow to the largest of every size ever seen.
 */
export function openSession(path: string, options: { readonly threads: number }): Promise<InferenceSession> {
  return InferenceSession.create(path, {
    executionProviders: ['cpu'],
    intraOpNumThreads: options.threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    enableCpuMemArena: false,
    enableMemPattern: false,
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  });
}
