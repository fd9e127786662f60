import { readFile } from 'node:fs/promises';
import type { AsrEngineContext } from '../../../domain/engines/asr-engine.ts';
import { Tensor } from '../onnx/onnxruntime.ts';
import { KaldiNetwork, readKaldiMatrix, readKaldiTextVector } from './kaldi-network.ts';
import { TDNN_LAYERS } from './x-vector-graph.ts';
import { SPEAKER_EMBEDDING_MODEL } from './x-vector-network.ts';

/** The weights of the x-vector network as inputs of a graph that contains the network without them. */
export async function readXVectorWeights(context: AsrEngineContext): Promise<Record<string, Tensor>> {
  const file = async (name: string) => readFile(await context.file(SPEAKER_EMBEDDING_MODEL, name));
  const network = new KaldiNetwork(await file('final.ext.raw'));
  const tensors: Record<string, Tensor> = {};
  const set = (name: string, values: Float32Array, dims: readonly number[]) => {
    tensors[`x_vector.${name}`] = new Tensor('float32', values, dims);
  };
  for (const [layer, { name }] of TDNN_LAYERS.entries()) {
    const { rows, columns, weights, bias } = network.affine(`${name}.affine`);
    const { scale, offset } = network.norm(`${name}.batchnorm`);
    set(`weight${layer}`, weights, [rows, columns]);
    set(`bias${layer}`, bias, [rows]);
    set(
      `mean${layer}`,
      offset.map((value, index) => -value / scale[index]!),
      [1, rows, 1],
    );
    set(`scale${layer}`, scale, [1, rows, 1]);
  }
  const last = network.affine('tdnn6.affine');
  set('fc_weight', last.weights, [last.rows, last.columns]);
  set('fc_bias', last.bias, [last.rows]);
  const centre = readKaldiTextVector((await file('mean.vec')).toString('utf8'));
  set('centre', centre, [centre.length]);
  const { rows, columns, weights } = readKaldiMatrix(await file('transform.mat'));
  set('whitening', transposed(weights, rows, columns), [columns, rows]);
  return tensors;
}

function transposed(values: Float32Array, rows: number, columns: number): Float32Array {
  return values.map((_, index) => values[(index % rows) * columns + Math.floor(index / rows)]!);
}
