import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { intAttribute, intsAttribute } from '../../../src/inference/engines/onnx/attribute.ts';
import { type OnnxModel, writeModel } from '../../../src/inference/engines/onnx/model.ts';
import { ELEMENT, floatTensor, int64Tensor } from '../../../src/inference/engines/onnx/tensor.ts';
import { POCKET_FILES } from '../../../src/inference/engines/pocket/pocket-files.ts';
import { floats, makeModel, makeNode } from './tiny-model.ts';

const EMBEDDING = 1024;
const LATENT = 32;
/** Samples per frame: 80 ms at 24 kHz. */
const FRAME = 1920;
const TONE_HZ = 200;
const SAMPLE_RATE_HZ = 24_000;
const LETTERS = "▁abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,!?'";

/**
 * Writes a test model with the files and graph interfaces of the published one. It outputs a tone at the mean level of
 * the reference, one frame per token of the text.
 */
export async function writeTinyPocket(folder: string): Promise<void> {
  const graphs: Readonly<Record<string, OnnxModel>> = {
    [POCKET_FILES.encoder]: makeEncoder(),
    [POCKET_FILES.textConditioner]: makeTextConditioner(),
    [POCKET_FILES.lmMain]: makeMain(),
    [POCKET_FILES.lmFlow]: makeFlow(),
    [POCKET_FILES.decoder]: makeDecoder(),
  };
  for (const [name, model] of Object.entries(graphs)) await writeFile(join(folder, name), writeModel(model));
  const bytes = Array.from(
    { length: 256 },
    (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
  );
  const tokens = ['<unk>', ...bytes, ...LETTERS];
  await writeFile(
    join(folder, POCKET_FILES.vocabJson),
    JSON.stringify(Object.fromEntries(tokens.map((token, id) => [token, id]))),
  );
  await writeFile(
    join(folder, POCKET_FILES.tokenScoresJson),
    JSON.stringify(Object.fromEntries(tokens.map((token) => [token, -1]))),
  );
}

const ones = (name: string) => floatTensor(name, [1, 1, EMBEDDING], new Float32Array(EMBEDDING).fill(1));

/** The reference as one embedding; every value is its mean level. */
function makeEncoder(): OnnxModel {
  return makeModel({
    nodes: [
      makeNode('Abs', ['audio'], ['level']),
      makeNode('ReduceMean', ['level'], ['mean'], [intsAttribute('axes', [2]), intAttribute('keepdims', 1)]),
      makeNode('Mul', ['mean', 'ones'], ['latents']),
    ],
    initializers: [ones('ones')],
    inputs: [floats('audio', 1, 1, 'samples')],
    outputs: [floats('latents', 1, 'frames', EMBEDDING)],
  });
}

/** One embedding of zeros for each token. */
function makeTextConditioner(): OnnxModel {
  return makeModel({
    nodes: [
      makeNode('Cast', ['token_ids'], ['tokens'], [intAttribute('to', ELEMENT.float)]),
      makeNode('Unsqueeze', ['tokens', 'last'], ['column']),
      makeNode('Mul', ['column', 'zeros'], ['embeddings']),
    ],
    initializers: [
      int64Tensor('last', [1], [2]),
      floatTensor('zeros', [1, 1, EMBEDDING], new Float32Array(EMBEDDING)),
    ],
    inputs: [{ name: 'token_ids', elementType: ELEMENT.int64, dims: [1, 'tokens'] }],
    outputs: [floats('embeddings', 1, 'tokens', EMBEDDING)],
  });
}

/** Accumulates the sum and the count of the embeddings, and ends after the same number of frames. */
function makeMain(): OnnxModel {
  const axis = [intsAttribute('axes', [1]), intAttribute('keepdims', 0)];
  const lengthOf = (input: string, output: string) => [
    makeNode('Shape', [input], [`${output}_shape`]),
    makeNode('Gather', [`${output}_shape`, 'second'], [`${output}_whole`]),
    makeNode('Cast', [`${output}_whole`], [output], [intAttribute('to', ELEMENT.float)]),
  ];
  return makeModel({
    nodes: [
      // The sum over no embeddings is zero.
      makeNode('ReduceSum', ['text_embeddings', 'second'], ['sum'], axis.slice(1)),
      makeNode('Add', ['state_sum', 'sum'], ['next_sum']),
      makeNode('Identity', ['next_sum'], ['conditioning']),
      ...lengthOf('text_embeddings', 'token_count'),
      ...lengthOf('sequence', 'frame_count'),
      makeNode('Add', ['state_tokens', 'token_count'], ['next_tokens']),
      makeNode('Add', ['state_frames', 'frame_count'], ['next_frames']),
      makeNode('Sub', ['next_frames', 'next_tokens'], ['ahead']),
      makeNode('Unsqueeze', ['ahead', 'first'], ['eos_logit']),
    ],
    initializers: [int64Tensor('second', [1], [1]), int64Tensor('first', [1], [0])],
    inputs: [
      floats('sequence', 1, 'frames', LATENT),
      floats('text_embeddings', 1, 'embeddings', EMBEDDING),
      floats('state_sum', 1, EMBEDDING),
      floats('state_tokens', 1),
      floats('state_frames', 1),
    ],
    outputs: [
      floats('conditioning', 1, EMBEDDING),
      floats('eos_logit', 1, 1),
      floats('next_sum', 1, EMBEDDING),
      floats('next_tokens', 1),
      floats('next_frames', 1),
    ],
  });
}

/** Flows from any noise to the first values of the condition. */
function makeFlow(): OnnxModel {
  return makeModel({
    nodes: [
      makeNode('Slice', ['c', 'from', 'to', 'axis'], ['target']),
      makeNode('Sub', ['target', 'x'], ['difference']),
      makeNode('Sub', ['one', 's'], ['remaining']),
      makeNode('Div', ['difference', 'remaining'], ['flow']),
    ],
    initializers: [
      int64Tensor('from', [1], [0]),
      int64Tensor('to', [1], [LATENT]),
      int64Tensor('axis', [1], [1]),
      floatTensor('one', [1, 1], Float32Array.of(1)),
    ],
    inputs: [floats('c', 1, EMBEDDING), floats('s', 1, 1), floats('t', 1, 1), floats('x', 1, LATENT)],
    outputs: [floats('flow', 1, LATENT)],
  });
}

/** A tone at the level of the first value of each frame. */
function makeDecoder(): OnnxModel {
  const tone = new Float32Array(LATENT * FRAME);
  for (let index = 0; index < FRAME; index++) {
    tone[index] = Math.sin((2 * Math.PI * TONE_HZ * index) / SAMPLE_RATE_HZ);
  }
  return makeModel({
    nodes: [
      makeNode('MatMul', ['latent', 'tone'], ['frames']),
      makeNode('Reshape', ['frames', 'shape'], ['audio']),
      makeNode('Identity', ['state'], ['next_state']),
    ],
    initializers: [floatTensor('tone', [LATENT, FRAME], tone), int64Tensor('shape', [3], [1, 1, -1])],
    inputs: [floats('latent', 1, 'frames', LATENT), floats('state', 1)],
    outputs: [floats('audio', 1, 1, 'samples'), floats('next_state', 1)],
  });
}
