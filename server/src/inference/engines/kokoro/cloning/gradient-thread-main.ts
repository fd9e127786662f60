import { parentPort, workerData } from 'node:worker_threads';
import { floatOutput } from '../../onnx/float-output.ts';
import { Tensor } from '../../onnx/onnxruntime.ts';
import { openSession } from '../../onnx/session.ts';
import type { GradientThreadData, GradientThreadReply, SentTensors } from './gradient-threads.ts';

/** Entry point of a thread of `GradientThreads`: computes one gradient per message. */

const { model, threads, constants } = workerData as GradientThreadData;
const session = openSession(model, { threads, mayRound: false });
const constantTensors = toTensors(constants);

parentPort?.on('message', async (inputs: SentTensors) => {
  parentPort?.postMessage(await compute(inputs));
});

async function compute(inputs: SentTensors): Promise<GradientThreadReply> {
  try {
    const outputs = await (await session).run({ ...constantTensors, ...toTensors(inputs) });
    return { gradient: floatOutput(outputs, 'gradient') };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function toTensors(sent: SentTensors): Record<string, Tensor> {
  return Object.fromEntries(
    Object.entries(sent).map(([name, { data, dims }]) => [name, new Tensor('float32', data, dims)]),
  );
}
