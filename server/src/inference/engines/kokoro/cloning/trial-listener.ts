import type { RecordedPart } from '../../../../domain/engines/voice-search.ts';
import { floatOutput } from '../../onnx/float-output.ts';
import { type InferenceSession, Tensor } from '../../onnx/onnxruntime.ts';
import { openSession } from '../../onnx/session.ts';

/** A trial's length of speech, heard by the speaker networks. */
export interface Heard extends Pick<RecordedPart, 'statistics' | 'logMel'> {
  /** By ECAPA-TDNN; zero without it. */
  readonly embedding: Float32Array;
}

/** Hears windows of a recording as the gradients of the search hear trials. */
export class TrialListener {
  readonly #session: InferenceSession;

  private constructor(session: InferenceSession) {
    this.#session = session;
  }

  static async open(model: string, { threads }: { readonly threads: number }): Promise<TrialListener> {
    return new TrialListener(await openSession(model, { threads, mayRound: false }));
  }

  /** `weights` are those of the speaker networks. */
  async hear(
    windows: readonly Float32Array[],
    weights: Readonly<Record<string, Tensor>>,
  ): Promise<readonly Heard[]> {
    const heard: Heard[] = [];
    for (const window of windows) {
      const samples = new Tensor('float32', window, [window.length]);
      const outputs = await this.#session.run({ ...weights, samples });
      heard.push({
        statistics: floatOutput(outputs, 'statistics'),
        logMel: floatOutput(outputs, 'log_mel'),
        embedding: floatOutput(outputs, 'embedding'),
      });
    }
    return heard;
  }
}
