/** The model in the catalogue, and the engine's name. */
export const ZIPVOICE = 'zipvoice';

/** The files as sherpa-onnx publishes its int8 model, by what the runtime calls them. */
export const ZIPVOICE_FILES = {
  encoder: 'encoder.int8.onnx',
  decoder: 'decoder.int8.onnx',
  vocoder: 'vocos_24khz.onnx',
  tokens: 'tokens.txt',
  lexicon: 'lexicon.txt',
} as const;
