import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { intAttribute, intsAttribute } from '../../../src/inference/engines/onnx/attribute.ts';
import { type OnnxModel, writeModel } from '../../../src/inference/engines/onnx/model.ts';
import { ELEMENT, floatTensor, int64Tensor } from '../../../src/inference/engines/onnx/tensor.ts';
import { ZIPVOICE_FILES } from '../../../src/inference/engines/zipvoice/zipvoice-files.ts';
import { floats, makeModel, makeNode } from './tiny-model.ts';

const MELS = 100;
const BINS = 513;
/** An integer number of cycles per hop (a quarter window), so that the frames of a steady tone are in phase. */
const TONE_BIN = 8;
const SYMBOLS = " ,.!?abcdefhijklmnopstuvwxyzæðŋɐɑɒɔəɚɛɜɡɪɹɾʃʊʌʒθˈˌː'ᵻ" satisfies string;

/**
 * Writes a test model with the files and graph interfaces of the published one. It outputs a steady tone at the level
 * of the loudest tone of the reference, with the duration of the text at the speaking rate of the reference.
 */
export async function writeTinyZipVoice(folder: string): Promise<void> {
  const graphs: Readonly<Record<string, OnnxModel>> = {
    [ZIPVOICE_FILES.encoder]: makeEncoder(),
    [ZIPVOICE_FILES.decoder]: makeDecoder(),
    [ZIPVOICE_FILES.vocoder]: { ...makeVocoder(), metadata: new Map([['model_type', 'vocos']]) },
  };
  for (const [name, model] of Object.entries(graphs)) await writeFile(join(folder, name), writeModel(model));
  const tokens = [...SYMBOLS].map((symbol, id) => `${symbol}\t${id}\n`).join('');
  await writeFile(join(folder, ZIPVOICE_FILES.tokens), tokens);
  await writeFile(join(folder, ZIPVOICE_FILES.lexicon), ', ,\n');
}

/** Frames of the reference and the text: the same number per token as in the reference. */
function makeEncoder(): OnnxModel {
  const countOf = (input: string, output: string) => [
    makeNode('Shape', [input], [`${output}_shape`]),
    makeNode('Gather', [`${output}_shape`, 'second'], [`${output}_whole`]),
    makeNode('Cast', [`${output}_whole`], [output], [intAttribute('to', ELEMENT.float)]),
  ];
  return makeModel({
    nodes: [
      ...countOf('tokens', 'wanted'),
      ...countOf('prompt_tokens', 'known'),
      makeNode('Cast', ['prompt_features_len'], ['prompt_frames'], [intAttribute('to', ELEMENT.float)]),
      makeNode('Div', ['prompt_frames', 'known'], ['frames_per_token']),
      makeNode('Mul', ['frames_per_token', 'wanted'], ['unscaled']),
      makeNode('Div', ['unscaled', 'speed'], ['new']),
      makeNode('Add', ['prompt_frames', 'new'], ['frames']),
      makeNode('Cast', ['frames'], ['frames_whole'], [intAttribute('to', ELEMENT.int64)]),
      makeNode('Concat', ['one', 'frames_whole', 'mels'], ['shape'], [intAttribute('axis', 0)]),
      makeNode('ConstantOfShape', ['shape'], ['text_condition']),
    ],
    initializers: [
      int64Tensor('second', [1], [1]),
      int64Tensor('one', [1], [1]),
      int64Tensor('mels', [1], [MELS]),
    ],
    inputs: [
      { name: 'tokens', elementType: ELEMENT.int64, dims: ['N', 'tokens'] },
      { name: 'prompt_tokens', elementType: ELEMENT.int64, dims: ['N', 'prompt_tokens'] },
      { name: 'prompt_features_len', elementType: ELEMENT.int64, dims: [1] },
      floats('speed', 1),
    ],
    outputs: [floats('text_condition', 'N', 'T', MELS)],
  });
}

/** Flows from any noise to the maximum of the reference features. */
function makeDecoder(): OnnxModel {
  return makeModel({
    nodes: [
      makeNode(
        'ReduceMax',
        ['speech_condition'],
        ['loudest'],
        [intsAttribute('axes', [1, 2]), intAttribute('keepdims', 1)],
      ),
      makeNode('Add', ['loudest', 'text_condition'], ['target']),
      makeNode('Sub', ['target', 'x'], ['difference']),
      makeNode('Sub', ['one', 't'], ['remaining']),
      makeNode('Div', ['difference', 'remaining'], ['guided']),
      makeNode('Mul', ['guided', 'guidance_scale'], ['v']),
    ],
    initializers: [floatTensor('one', [1], Float32Array.of(1))],
    inputs: [
      floats('t', 1),
      floats('x', 'N', 'T', MELS),
      floats('text_condition', 'N', 'T', MELS),
      floats('speech_condition', 'N', 'T', MELS),
      floats('guidance_scale', 1),
    ],
    outputs: [floats('v', 'N', 'T', MELS)],
  });
}

/** All energy in one bin, at the level of the loudest mel band. */
function makeVocoder(): OnnxModel {
  const mask = new Float32Array(BINS);
  mask[TONE_BIN] = 1;
  const column = (name: string, values: Float32Array) => floatTensor(name, [1, BINS, 1], values);
  return makeModel({
    nodes: [
      makeNode('ReduceMax', ['mels'], ['loudest'], [intsAttribute('axes', [1]), intAttribute('keepdims', 1)]),
      makeNode('Exp', ['loudest'], ['level']),
      makeNode('Mul', ['level', 'mask'], ['mag']),
      makeNode('Mul', ['mag', 'zero'], ['y']),
      makeNode('Add', ['y', 'one'], ['x']),
    ],
    initializers: [
      column('mask', mask),
      floatTensor('zero', [1], Float32Array.of(0)),
      floatTensor('one', [1], Float32Array.of(1)),
    ],
    inputs: [floats('mels', 'N', MELS, 'T')],
    outputs: [floats('mag', 'N', BINS, 'T'), floats('x', 'N', BINS, 'T'), floats('y', 'N', BINS, 'T')],
  });
}
