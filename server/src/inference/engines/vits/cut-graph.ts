import type { OnnxGraph, OnnxModel, OnnxNode, ValueInfo } from '../onnx/model.ts';
import { extractSubgraph, GraphIndex, renameValues } from '../onnx/subgraph.ts';
import { ELEMENT, type OnnxTensor } from '../onnx/tensor.ts';
import { OnnxError } from '../onnx/wire.ts';
import { measureReach } from './reach.ts';

/** Names of what enters and leaves the parts. The first four are Piper's own, the others ours. */
export const PORT = {
  ids: 'input',
  idCount: 'input_lengths',
  /** Three numbers: noise scale (not used by the parts), length scale, duration noise scale. */
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

/** VITS draws two numbers per id for its stochastic duration predictor. */
export const DURATION_NOISE_CHANNELS = 2;

const SPEAKER_NUMBER = 'sid';

/** A VITS model in three parts, with what one must know to run them. */
export interface VitsParts {
  /** Ids, speaker vector and noise to durations in frames and to the prior of every id. */
  readonly front: OnnxModel;
  /** The prior of every frame, which the caller draws, and the speaker vector to the latent. */
  readonly flow: OnnxModel;
  /** Latent and speaker vector to samples. Works on any stretch of frames. */
  readonly decoder: OnnxModel;
  /** One row per speaker the model was trained on; undefined for a model of a single voice. */
  readonly speakers: OnnxTensor | undefined;
  readonly latentChannels: number;
  /** False for models that predict durations without chance. */
  readonly hasDurationNoise: boolean;
  readonly samplesPerFrame: number;
  /** Frames to either side of a stretch that the decoder must see to decode it as if it saw all. */
  readonly decoderReachFrames: number;
  /** The same for the flow. */
  readonly flowReachFrames: number;
}

/**
 * Cuts a Piper model open at its seams, which are found by their role and not by their names: exporters
 * number nodes differently. Throws an `OnnxError` that says what is missing when the model is of another kind.
 */
export function cutVitsGraph(model: OnnxModel): VitsParts {
  const seams = findSeams(model.graph);
  const opened = { ...model, graph: renameValues(model.graph, seams.newNames) };
  const { latentChannels, speakers, hasDurationNoise } = seams;

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
  const decoderReach = measureReach(decoder.graph, PORT.latent, PORT.samples);
  return {
    front,
    flow,
    decoder,
    speakers,
    latentChannels,
    hasDurationNoise,
    samplesPerFrame: decoderReach.upsampling,
    decoderReachFrames: decoderReach.frames,
    flowReachFrames: measureReach(flow.graph, PORT.prior, PORT.latent).frames,
  };
}

function floats(name: string, ...dims: (number | string)[]): ValueInfo {
  return { name, elementType: ELEMENT.float, dims: [1, ...dims] };
}

interface Seams {
  /** From the exporter's names to those of `PORT`. */
  readonly newNames: ReadonlyMap<string, string>;
  readonly speakers: OnnxTensor | undefined;
  readonly latentChannels: number;
  readonly hasDurationNoise: boolean;
}

function findSeams(graph: OnnxGraph): Seams {
  const index = new GraphIndex(graph);
  const newNames = new Map<string, string>();
  const samples = graph.outputs[0];
  if (samples === undefined || graph.outputs.length !== 1) throw unlikePiper('one output');
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
  if (latentChannels === undefined) throw unlikePiper('weights at the entry of its decoder');

  return {
    newNames,
    speakers: speakers?.table,
    latentChannels,
    hasDurationNoise: prior.durationNoise !== undefined,
  };
}

/** The table of speaker vectors and the value that a speaker number picks from it. */
function findSpeakers(
  graph: OnnxGraph,
  index: GraphIndex,
): { table: OnnxTensor; vectorName: string } | undefined {
  if (!graph.inputs.some((input) => input.name === SPEAKER_NUMBER)) return undefined;
  const lookup = index.usersOf(SPEAKER_NUMBER).find((node) => node.opType === 'Gather');
  const table = graph.initializers.find((tensor) => tensor.name === lookup?.inputs[0]);
  if (lookup === undefined || table?.dims.length !== 2) throw unlikePiper('a table of speakers');
  return { table, vectorName: lookup.outputs[0]! };
}

/** Durations are rounded up to whole frames and then summed up to place every id. */
function findDurations(graph: OnnxGraph, index: GraphIndex): string {
  for (const node of graph.nodes) {
    if (node.opType !== 'Ceil') continue;
    const durations = node.outputs[0]!;
    if (index.usersOf(durations).some((user) => user.opType === 'CumSum')) return durations;
  }
  throw unlikePiper('durations in frames');
}

/** prior = mean + noise * exp(log scale) * noise scale, with mean and log scale spread from ids to frames. */
function findPrior(graph: OnnxGraph, index: GraphIndex, durations: string) {
  const beforeDurations = index.namesBefore(durations);
  const draws = graph.nodes.filter((node) => node.opType === 'RandomNormalLike');
  const isDurationNoise = (draw: OnnxNode) => beforeDurations.has(draw.outputs[0]!);
  const [durationNoise, ...moreDurationNoise] = draws.filter(isDurationNoise);
  const [noise, ...moreNoise] = draws.filter((draw) => !isDurationNoise(draw));
  if (noise === undefined || moreNoise.length + moreDurationNoise.length > 0) {
    throw unlikePiper('one source of noise for durations and one for sound');
  }
  const mean = noise.inputs[0]!;
  const scaled = onlyUser(index, noise.outputs[0]!, 'Mul');
  const exponential = scaled.inputs.map((name) => index.makerOf(name)).find((node) => node?.opType === 'Exp');
  const sum = onlyUser(index, onlyUser(index, scaled.outputs[0]!, 'Mul').outputs[0]!, 'Add');
  if (exponential === undefined || !sum.inputs.includes(mean)) throw unlikePiper('a Gaussian prior');
  return {
    durationNoise: durationNoise?.outputs[0],
    mean: beforeAlignment(index, mean),
    logScale: beforeAlignment(index, exponential.inputs[0]!),
    sum: sum.outputs[0]!,
  };
}

/** From a value per frame back to the value per id: transpose(alignment x transpose(value)). */
function beforeAlignment(index: GraphIndex, frameValue: string): string {
  const product = maker(index, maker(index, frameValue, 'Transpose').inputs[0]!, 'MatMul');
  return maker(index, product.inputs[1]!, 'Transpose').inputs[0]!;
}

/** The convolution that takes the latent: back from the first upsampling, past the one for the speaker. */
function findDecoderEntry(graph: OnnxGraph, index: GraphIndex): OnnxNode {
  const upsampling = graph.nodes.find((node) => node.opType === 'ConvTranspose');
  const pending = upsampling === undefined ? [] : [upsampling.inputs[0]!];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const node = index.makerOf(name);
    if (node?.opType === 'Conv') {
      const hearsText = index.namesBefore(node.inputs[0]!).has(PORT.ids);
      if (hearsText) return node;
    } else if (node?.opType === 'Add' || node?.opType === 'LeakyRelu') {
      pending.push(...node.inputs);
    }
  }
  throw unlikePiper('a decoder that upsamples');
}

function maker(index: GraphIndex, valueName: string, opType: string): OnnxNode {
  const node = index.makerOf(valueName);
  if (node?.opType !== opType) throw unlikePiper(`a ${opType} that makes "${valueName}"`);
  return node;
}

function onlyUser(index: GraphIndex, valueName: string, opType: string): OnnxNode {
  const [user, ...more] = index.usersOf(valueName);
  if (user?.opType !== opType || more.length > 0) {
    throw unlikePiper(`a single ${opType} that takes "${valueName}"`);
  }
  return user;
}

function unlikePiper(missing: string): OnnxError {
  return new OnnxError(`This is not a VITS model as Piper exports them: it lacks ${missing}.`);
}
