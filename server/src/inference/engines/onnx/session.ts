import { InferenceSession } from './onnxruntime.ts';

export interface SessionOptions {
  readonly threads: number;
  /**
   * Optimizations that may change results by rounding: without them, products with dequantized weights stay products of
   * floats, and weights are dequantized once, when the model is opened. Default: true.
   */
  readonly mayRound?: boolean;
}

/**
 * Opens a model, a file or its content, for inference on the CPU. Thread spinning is off, since it takes CPU time from other streams. The
 * memory arena is on: windowed decoding bounds its size, and over 500 utterances memory grows less than with an
 * allocation per tensor.
 */
export function openSession(
  model: string | Uint8Array,
  { threads, mayRound = true }: SessionOptions,
): Promise<InferenceSession> {
  const sessionOptions: InferenceSession.SessionOptions = {
    executionProviders: ['cpu'],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: mayRound ? 'all' : 'basic',
    enableCpuMemArena: true,
    enableMemPattern: false,
    extra: {
      session: { intra_op: { allow_spinning: '0' }, disable_quant_qdq: mayRound ? '0' : '1' },
    },
  };
  return typeof model === 'string'
    ? InferenceSession.create(model, sessionOptions)
    : InferenceSession.create(model, sessionOptions);
}
