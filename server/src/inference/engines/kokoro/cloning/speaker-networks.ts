import { readFile } from 'node:fs/promises';
import type { TtsEngineContext } from '../../../../domain/engines/tts-engine.ts';
import type { Tensor } from '../../onnx/onnxruntime.ts';
import { ECAPA_FILE, ECAPA_MODEL } from '../../speaker-embedding/ecapa-model.ts';
import type { StoredWeight } from '../../speaker-embedding/ecapa-weights.ts';
import { readXVectorWeights } from '../../speaker-embedding/x-vector-weights.ts';
import { isMemoryAmple } from './search-memory.ts';

/** The networks that are not part of the graphs of the search, as inputs of them. */
export interface SpeakerNetworks {
  readonly xVectorWeights: Readonly<Record<string, Tensor>>;
  /** Where the weights of ECAPA-TDNN lie in its file. */
  readonly ecapaWeights: readonly StoredWeight[];
}

export async function readSpeakerNetworks(context: TtsEngineContext): Promise<SpeakerNetworks> {
  const [xVectorWeights, ecapaWeights] = await Promise.all([
    readXVectorWeights(context),
    readFile(context.asset('small-decoder/ecapa-weights.json'), 'utf8'),
  ]);
  return { xVectorWeights, ecapaWeights: JSON.parse(ecapaWeights) };
}

/** The file of ECAPA-TDNN; undefined while it is not installed, and where memory is short. */
export async function findEcapaFile(context: TtsEngineContext): Promise<string | undefined> {
  return isMemoryAmple() ? context.file(ECAPA_MODEL, ECAPA_FILE).catch(() => undefined) : undefined;
}
