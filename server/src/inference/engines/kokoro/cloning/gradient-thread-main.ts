import { parentPort, workerData } from 'node:worker_threads';
import { floatOutput } from '../../onnx/float-output.ts';
import { Tensor } from '../../onnx/onnxruntime.ts';
import { openSession } from '../../onnx/session.ts';
import {
  absentEcapaWeights,
  type EcapaWeights,
  readEcapaWeights,
} from '../../speaker-embedding/ecapa-weights.ts';
import type {
  GradientRequest,
  GradientThreadData,
  GradientThreadReply,
  SentTensors,
} from './gradient-threads.ts';

/** Entry point of a thread of `GradientThreads`: computes one gradient per message. */

const { model, threads, constants, ecapaWeights } = workerData as GradientThreadData;
const session = openSession(model, { threads, mayRound: false });
const constantTensors = toTensors(constants);
const withoutEcapa = absentEcapaWeights(ecapaWeights);
let withEcapa: Promise<EcapaWeights> | undefined;

parentPort?.on('message', async (request: GradientRequest) => {
  parentPort?.postMessage(await compute(request));
});

async function compute({ inputs, ecapaFile }: GradientRequest): Promise<GradientThreadReply> {
  try {
    const weights = ecapaFile === undefined ? withoutEcapa : await readOnce(ecapaFile);
    const outputs = await (await session).run({ ...constantTensors, ...weights, ...toTensors(inputs) });
    return { gradient: floatOutput(outputs, 'gradient') };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** Read with the first gradient that needs them. */
function readOnce(ecapaFile: string): Promise<EcapaWeights> {
  if (withEcapa === undefined) {
    withEcapa = readEcapaWeights(ecapaFile, ecapaWeights);
    withEcapa.catch(() => {
      withEcapa = undefined;
    });
  }
  return withEcapa;
}

function toTensors(sent: SentTensors): Record<string, Tensor> {
  return Object.fromEntries(
    Object.entries(sent).map(([name, { data, dims }]) => [name, new Tensor('float32', data, dims)]),
  );
}
