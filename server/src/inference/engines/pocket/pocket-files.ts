/** Model id in the catalogue and name of the engine. */
export const POCKET = 'pocket-tts';

/** Files of the published int8 export by their names in the runtime's configuration. */
export const POCKET_FILES = {
  lmFlow: 'lm_flow.int8.onnx',
  lmMain: 'lm_main.int8.onnx',
  encoder: 'encoder.onnx',
  decoder: 'decoder.int8.onnx',
  textConditioner: 'text_conditioner.onnx',
  vocabJson: 'vocab.json',
  tokenScoresJson: 'token_scores.json',
} as const;
