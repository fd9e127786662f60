import { readFile } from 'node:fs/promises';
import { flattenDepthwiseConvolutions } from '../onnx/depthwise-convolutions.ts';
import { readModel, type ValueInfo, writeModel } from '../onnx/model.ts';
import { extractSubgraph } from '../onnx/subgraph.ts';
import { ELEMENT } from '../onnx/tensor.ts';
import { BINS } from './excitation.ts';

/** Values at which the file of a decoder is cut: the filters of each hop. Two hops are one row of the complex factor. */
export const FILTER_OUTPUTS = {
  gain: '/Exp_output_0',
  real: '/pulse_real/Add_output_0',
  imaginary: '/pulse_imaginary/Add_output_0',
  noiseGain: '/Exp_1_output_0',
  depth: '/Mul_13_output_0',
} as const;

/** Inputs of the part that is not used: spectra of the source. */
const SOURCE_INPUT = /^(?:pulse|noise|modulated)_(?:real|imaginary)$/;

/**
 * Reads the part of a decoder that computes filters from features. What follows in the file, filtering and the inverse
 * Fourier transform, takes ten passes over the spectra: the server does it hop by hop (`SpectrumKernel`).
 */
export async function readFilterNetwork(path: string): Promise<Uint8Array> {
  const model = readModel(await readFile(path));
  const output = (name: string, dims: ValueInfo['dims']): ValueInfo => ({
    ...{ name, elementType: ELEMENT.float },
    ...(dims && { dims }),
  });
  const filters = extractSubgraph(model, {
    inputs: model.graph.inputs.filter(({ name }) => !SOURCE_INPUT.test(name)),
    outputs: [
      output(FILTER_OUTPUTS.gain, [1, 'hops', BINS]),
      output(FILTER_OUTPUTS.real, [1, 'half_frames', 2 * BINS]),
      output(FILTER_OUTPUTS.imaginary, [1, 'half_frames', 2 * BINS]),
      output(FILTER_OUTPUTS.noiseGain, [1, 'hops', BINS]),
      output(FILTER_OUTPUTS.depth, [1, 'hops', 1]),
    ],
  });
  return writeModel(flattenDepthwiseConvolutions(filters));
}
