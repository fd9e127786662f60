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
  SearchThreadData,
  SearchThreadReply,
  SearchThreadRequest,
  SentTensors,
} from './search-threads.ts';
import { TrialListener } from './trial-listener.ts';

/** Entry point of a thread of `SearchThreads`: answers one request at a time. */

const { gradientModel, statisticsModel, threads, constants, ecapaWeights } = workerData as SearchThreadData;
const session = openSession(gradientModel, { threads, mayRound: false });
const constantTensors = toTensors(constants);
const withoutEcapa = absentEcapaWeights(ecapaWeights);
let withEcapa: Promise<EcapaWeights> | undefined;
let listener: Promise<TrialListener> | undefined;

parentPort?.on('message', async (request: SearchThreadRequest) => {
  parentPort?.postMessage(await replyTo(request));
});

async function replyTo(request: SearchThreadRequest): Promise<SearchThreadReply> {
  const { ecapaFile } = request;
  try {
    const ecapa = ecapaFile === undefined ? withoutEcapa : await readOnce(ecapaFile);
    const weights = { ...constantTensors, ...ecapa };
    if (request.kind === 'hear')
      return { heard: await (await openedListener()).hear(request.windows, weights) };
    const outputs = await (await session).run({ ...weights, ...toTensors(request.inputs) });
    return { gradient: floatOutput(outputs, 'gradient') };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** Read with the first request that needs them. */
function readOnce(ecapaFile: string): Promise<EcapaWeights> {
  if (withEcapa === undefined) {
    withEcapa = readEcapaWeights(ecapaFile, ecapaWeights);
    withEcapa.catch(() => {
      withEcapa = undefined;
    });
  }
  return withEcapa;
}

/** Opened with the first recording: only one of the threads hears. */
function openedListener(): Promise<TrialListener> {
  listener ??= TrialListener.open(statisticsModel, { threads });
  return listener;
}

function toTensors(sent: SentTensors): Record<string, Tensor> {
  return Object.fromEntries(
    Object.entries(sent).map(([name, { data, dims }]) => [name, new Tensor('float32', data, dims)]),
  );
}
