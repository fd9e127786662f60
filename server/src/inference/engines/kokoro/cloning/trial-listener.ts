import { readFile } from 'node:fs/promises';
import type { TtsEngineContext } from '../../../../domain/engines/tts-engine.ts';
import type { RecordedPart } from '../../../../domain/engines/voice-search.ts';
import { floatOutput } from '../../onnx/float-output.ts';
import { type InferenceSession, Tensor } from '../../onnx/onnxruntime.ts';
import { openSession } from '../../onnx/session.ts';
import { ECAPA_FILE, ECAPA_MODEL } from '../../speaker-embedding/ecapa-model.ts';
import {
  absentEcapaWeights,
  type EcapaWeights,
  readEcapaWeights,
  type StoredWeight,
} from '../../speaker-embedding/ecapa-weights.ts';
import { readXVectorWeights } from '../../speaker-embedding/x-vector-weights.ts';
import { isMemoryAmple } from './search-memory.ts';

/** The networks that are not part of the graphs of the search, as inputs of them. */
export interface SpeakerNetworks {
  readonly xVectorWeights: Readonly<Record<string, Tensor>>;
  /** Where the weights of ECAPA-TDNN lie in its file. */
  readonly ecapaWeights: readonly StoredWeight[];
}

/** A trial's length of speech, heard by the speaker networks. */
interface Heard extends Pick<RecordedPart, 'statistics' | 'logMel'> {
  /** By ECAPA-TDNN; zero without it. */
  readonly embedding: Float32Array;
}

export async function readSpeakerNetworks(context: TtsEngineContext): Promise<SpeakerNetworks> {
  const [xVectorWeights, ecapaWeights] = await Promise.all([
    readXVectorWeights(context),
    readFile(context.asset('small-decoder/ecapa-weights.json'), 'utf8'),
  ]);
  return { xVectorWeights, ecapaWeights: JSON.parse(ecapaWeights) };
}

/** Hears windows of a recording as the gradients of the search hear trials. */
export class TrialListener {
  readonly #session: InferenceSession;
  readonly #networks: SpeakerNetworks;
  readonly #context: TtsEngineContext;

  private constructor(session: InferenceSession, networks: SpeakerNetworks, context: TtsEngineContext) {
    this.#session = session;
    this.#networks = networks;
    this.#context = context;
  }

  static async open(context: TtsEngineContext, networks: SpeakerNetworks): Promise<TrialListener> {
    const model = context.asset('small-decoder/statistics.onnx');
    const session = await openSession(model, { threads: context.threads, mayRound: false });
    return new TrialListener(session, networks, context);
  }

  /** The file of ECAPA-TDNN; undefined while it is not installed, and where memory is short. */
  async ecapaFile(): Promise<string | undefined> {
    return isMemoryAmple() ? this.#context.file(ECAPA_MODEL, ECAPA_FILE).catch(() => undefined) : undefined;
  }

  /** ECAPA-TDNN is computed if its file is given. */
  async hear(windows: readonly Float32Array[], ecapaFile?: string): Promise<readonly Heard[]> {
    const { ecapaWeights } = this.#networks;
    const ecapa =
      ecapaFile === undefined
        ? absentEcapaWeights(ecapaWeights)
        : await readEcapaWeights(ecapaFile, ecapaWeights);
    const heard: Heard[] = [];
    for (const window of windows) heard.push(await this.#hearOne(window, ecapa));
    return heard;
  }

  async close(): Promise<void> {
    await this.#session.release();
  }

  async #hearOne(window: Float32Array, ecapa: EcapaWeights): Promise<Heard> {
    const samples = new Tensor('float32', window, [window.length]);
    const outputs = await this.#session.run({ ...this.#networks.xVectorWeights, ...ecapa, samples });
    return {
      statistics: floatOutput(outputs, 'statistics'),
      logMel: floatOutput(outputs, 'log_mel'),
      embedding: floatOutput(outputs, 'embedding'),
    };
  }
}
