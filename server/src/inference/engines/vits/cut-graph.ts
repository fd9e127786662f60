import type { OnnxGraph, OnnxModel, OnnxNode, ValueInfo } from '../onnx/model.ts';
import { extractSubgraph, GraphIndex, renameValues } from '../onnx/subgraph.ts';
import { ELEMENT, type OnnxTensor } from '../onnx/tensor.ts';
import { OnnxError } from '../onnx/wire.ts';
import { measureReceptiveField } from './receptive-field.ts';

/** Names of the inputs and outputs of the parts. The first four are Piper's, the others are assigned here. */
export const PORT = {
  ids: 'input',
  idCount: 'input_lengths',
  /** Three values: noise scale (not used by the parts), length scale, duration noise scale. */
  scales: 'scales',
  samples: 'output',
  speaker: 'speaker_vector',
  durationNoise: 'duration_noise',
  durations: 'duration_frames',
  mean: 'latent_mean',
  logScale: 'latent_log_scale',
  prior: 'latent_prior',
  latent: 'latent',
} as const;

/** Noise values per token of the stochastic duration predictor. */
export const DURATION_NOISE_CHANNELS = 2;

const SPEAKER_NUMBER = 'sid';

/** A VITS model in three parts, with the dimensions needed to run them. */
export interface VitsParts {
  /** Token ids, speaker vector and noise to durations in frames and to the prior of every token. */
  readonly front: OnnxModel;
  /** The prior of every frame, drawn by the caller, and the speaker vector to the latent. */
  readonly flow: OnnxModel;
  /** Latent and speaker vector to samples. Accepts any range of frames. */
  readonly decoder: OnnxModel;
  /** One row per training speaker; undefined for a single-speaker model. */
  readonly speakers: OnnxTensor | undefined;
  readonly latentChannels: number;
  /** False for models with a deterministic duration predictor. */
  readonly hasDurationNoise: boolean;
  readonly samplesPerFrame: number;
  /** Receptive field of the decoder on either side, in frames. */
  readonly decoderReachFrames: number;
  /** Receptive field of the flow on either side, in frames. */
  readonly flowReachFrames: number;
}

/**
 * Cuts a Piper model into its parts. The cut points are found by their role in the graph, since exporters name nodes
 * differently. Throws an `OnnxError` that names the missing element for other models.
 */
export function cutVitsGraph(model: OnnxModel): VitsParts {
  const cutPoints = findCutPoints(model.graph);
  const opened = { ...model, graph: renameValues(model.graph, cutPoints.newNames) };
  const { latentChannels, speakers, hasDurationNoise } = cutPoints;

  const speaker =
    speakers === undefined ? [] : [{ ...floats(PORT.speaker), dims: [1, speakers.dims[1]!] as const }];
  const durations = floats(PORT.durations, 1, 'ids');
  const latent = floats(PORT.latent, latentChannels, 'frames');
  const front = extractSubgraph(opened, {
    inputs: [
      { name: PORT.ids, elementType: ELEMENT.int64, dims: [1, 'ids'] },
      { name: PORT.idCount, elementType: ELEMENT.int64, dims: [1] },
      { name: PORT.scales, elementType: ELEMENT.float, dims: [3] },
      ...(hasDurationNoise ? [floats(PORT.durationNoise, DURATION_NOISE_CHANNELS, 'ids')] : []),
      ...speaker,
    ],
    outputs: [
      durations,
      floats(PORT.mean, latentChannels, 'ids'),
      floats(PORT.logScale, latentChannels, 'ids'),
    ],
  });
  const flow = extractSubgraph(opened, {
    inputs: [floats(PORT.prior, latentChannels, 'frames'), durations, ...speaker],
    outputs: [latent],
  });
  const decoder = extractSubgraph(opened, {
    inputs: [latent, ...speaker],
    outputs: [{ name: PORT.samples, elementType: ELEMENT.float }],
  });
  const decoderField = measureReceptiveField(decoder.graph, PORT.latent, PORT.samples);
  return {
    front,
    flow,
    decoder,
    speakers,
    latentChannels,
    hasDurationNoise,
    samplesPerFrame: decoderField.upsampling,
    decoderReachFrames: decoderField.frames,
    flowReachFrames: measureReceptiveField(flow.graph, PORT.prior, PORT.latent).frames,
  };
}

function floats(name: string, ...dims: (number | string)[]): ValueInfo {
  return { name, elementType: ELEMENT.float, dims: [1, ...dims] };
}

interface CutPoints {
  /** Exporter's names to the names in `PORT`. */
  readonly newNames: ReadonlyMap<string, string>;
  readonly speakers: OnnxTensor | undefined;
  readonly latentChannels: number;
  readonly hasDurationNoise: boolean;
}

function findCutPoints(graph: OnnxGraph): CutPoints {
  const index = new GraphIndex(graph);
  const newNames = new Map<string, string>();
  const samples = graph.outputs[0];
  if (samples === undefined || graph.outputs.length !== 1) throw createMissingNodeError('one output');
  if (samples.name !== PORT.samples) newNames.set(samples.name, PORT.samples);

  const speakers = findSpeakers(graph, index);
  if (speakers !== undefined) newNames.set(speakers.vectorName, PORT.speaker);

  const durations = findDurations(graph, index);
  newNames.set(durations, PORT.durations);

  const prior = findPrior(graph, index, durations);
  newNames.set(prior.mean, PORT.mean).set(prior.logScale, PORT.logScale).set(prior.sum, PORT.prior);
  if (prior.durationNoise !== undefined) newNames.set(prior.durationNoise, PORT.durationNoise);

  const entry = findDecoderEntry(graph, index);
  newNames.set(entry.inputs[0]!, PORT.latent);
  const latentChannels = graph.initializers.find((tensor) => tensor.name === entry.inputs[1])?.dims[1];
  if (latentChannels === undefined) throw createMissingNodeError('weights at the entry of its decoder');

  return {
    newNames,
    speakers: speakers?.table,
    latentChannels,
    hasDurationNoise: prior.durationNoise !== undefined,
  };
}

/** The table of speaker vectors and the value selected from it by a speaker number. */
function findSpeakers(
  graph: OnnxGraph,
  index: GraphIndex,
): { table: OnnxTensor; vectorName: string } | undefined {
  if (!graph.inputs.some((input) => input.name === SPEAKER_NUMBER)) return undefined;
  const lookup = index.consumersOf(SPEAKER_NUMBER).find((node) => node.opType === 'Gather');
  const table = graph.initializers.find((tensor) => tensor.name === lookup?.inputs[0]);
  if (lookup === undefined || table?.dims.length !== 2) throw createMissingNodeError('a table of speakers');
  return { table, vectorName: lookup.outputs[0]! };
}

/** Durations are rounded up to frames (`Ceil`) and then accumulated (`CumSum`). */
function findDurations(graph: OnnxGraph, index: GraphIndex): string {
  for (const node of graph.nodes) {
    if (node.opType !== 'Ceil') continue;
    const durations = node.outputs[0]!;
    if (index.consumersOf(durations).some((user) => user.opType === 'CumSum')) return durations;
  }
  throw createMissingNodeError('durations in frames');
}

/** prior = mean + noise * exp(log scale) * noise scale, with mean and log scale expanded from tokens to frames. */
function findPrior(graph: OnnxGraph, index: GraphIndex, durations: string) {
  const beforeDurations = index.ancestorsOf(durations);
  const draws = graph.nodes.filter((node) => node.opType === 'RandomNormalLike');
  const isDurationNoise = (draw: OnnxNode) => beforeDurations.has(draw.outputs[0]!);
  const [durationNoise, ...moreDurationNoise] = draws.filter(isDurationNoise);
  const [noise, ...moreNoise] = draws.filter((draw) => !isDurationNoise(draw));
  if (noise === undefined || moreNoise.length + moreDurationNoise.length > 0) {
    throw createMissingNodeError('one noise source for durations and one for the latent');
  }
  const mean = noise.inputs[0]!;
  const scaled = onlyConsumer(index, noise.outputs[0]!, 'Mul');
  const exponential = scaled.inputs
    .map((name) => index.producerOf(name))
    .find((node) => node?.opType === 'Exp');
  const sum = onlyConsumer(index, onlyConsumer(index, scaled.outputs[0]!, 'Mul').outputs[0]!, 'Add');
  if (exponential === undefined || !sum.inputs.includes(mean))
    throw createMissingNodeError('a Gaussian prior');
  return {
    durationNoise: durationNoise?.outputs[0],
    mean: beforeAlignment(index, mean),
    logScale: beforeAlignment(index, exponential.inputs[0]!),
    sum: sum.outputs[0]!,
  };
}

/** From a value per frame back to the value per token: transpose(alignment x transpose(value)). */
function beforeAlignment(index: GraphIndex, frameValue: string): string {
  const product = producerOfType(index, producerOfType(index, frameValue, 'Transpose').inputs[0]!, 'MatMul');
  return producerOfType(index, product.inputs[1]!, 'Transpose').inputs[0]!;
}

/** The input convolution of the decoder: backward from the first upsampling, past the speaker convolution. */
function findDecoderEntry(graph: OnnxGraph, index: GraphIndex): OnnxNode {
  const upsampling = graph.nodes.find((node) => node.opType === 'ConvTranspose');
  const pending = upsampling === undefined ? [] : [upsampling.inputs[0]!];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const node = index.producerOf(name);
    if (node?.opType === 'Conv') {
      const dependsOnText = index.ancestorsOf(node.inputs[0]!).has(PORT.ids);
      if (dependsOnText) return node;
    } else if (node?.opType === 'Add' || node?.opType === 'LeakyRelu') {
      pending.push(...node.inputs);
    }
  }
  throw createMissingNodeError('a decoder that upsamples');
}

function producerOfType(index: GraphIndex, valueName: string, opType: string): OnnxNode {
  const node = index.producerOf(valueName);
  if (node?.opType !== opType) throw createMissingNodeError(`a ${opType} that produces "${valueName}"`);
  return node;
}

function onlyConsumer(index: GraphIndex, valueName: string, opType: string): OnnxNode {
  const [user, ...more] = index.consumersOf(valueName);
  if (user?.opType !== opType || more.length > 0) {
    throw createMissingNodeError(`a single ${opType} that consumes "${valueName}"`);
  }
  return user;
}

function createMissingNodeError(missing: string): OnnxError {
  return new OnnxError(`This is not a VITS model exported by Piper: it lacks ${missing}.`);
}
