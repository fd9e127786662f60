import { open } from 'node:fs/promises';
import { Tensor } from '../onnx/onnxruntime.ts';

const TINY = 1e-30;

/** Where a weight of ECAPA-TDNN lies in the published file, which is an archive without compression. */
export interface StoredWeight {
  readonly name: string;
  readonly dims: readonly number[];
  readonly startByte: number;
}

/** The weights as inputs of a graph that contains the network without them. */
export type EcapaWeights = Readonly<Record<string, Tensor>>;

/** Reads the weights from the published file. The store has verified its hash. */
export async function readEcapaWeights(
  path: string,
  weights: readonly StoredWeight[],
): Promise<EcapaWeights> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const content = new Uint8Array(size);
    let from = 0;
    while (from < size) {
      const { bytesRead } = await file.read(content, from, size - from, from);
      if (bytesRead === 0) throw new Error(`${path} has become shorter.`);
      from += bytesRead;
    }
    return Object.fromEntries(
      weights.map(({ name, dims, startByte }) => {
        const values = new Float32Array(
          content.buffer,
          startByte,
          dims.reduce((size, dim) => size * dim, 1),
        );
        flushTiny(values);
        return [`ecapa.${name}`, new Tensor('float32', values, dims)];
      }),
    );
  } finally {
    await file.close();
  }
}

/** Products with denormal numbers, of which some layers are full, take ten times as long. */
function flushTiny(values: Float32Array): void {
  for (let index = 0; index < values.length; index++) {
    if (Math.abs(values[index]!) < TINY) values[index] = 0;
  }
}

/** Inputs in place of the weights, with which the graph leaves the network out. */
export function absentEcapaWeights(weights: readonly StoredWeight[]): EcapaWeights {
  return Object.fromEntries(
    weights.map(({ name, dims }) => [
      `ecapa.${name}`,
      new Tensor(
        'float32',
        new Float32Array(1),
        dims.map(() => 1),
      ),
    ]),
  );
}
