/** Model id in the catalogue and name of the engine. */
export const ZIPVOICE = 'zipvoice';

/** Files of the int8 model published by sherpa-onnx by their names in the runtime's configuration. */
export const ZIPVOICE_FILES = {
  encoder: 'encoder.int8.onnx',
  decoder: 'decoder.int8.onnx',
  vocoder: 'vocos_24khz.onnx',
  tokens: 'tokens.txt',
  lexicon: 'lexicon.txt',
} as const;
