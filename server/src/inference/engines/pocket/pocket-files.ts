/** The model in the catalogue, and the engine's name. */
export const POCKET = 'pocket-tts';

/** The files of the published int8 export, by what the runtime calls them. */
export const POCKET_FILES = {
  lmFlow: 'lm_flow.int8.onnx',
  lmMain: 'lm_main.int8.onnx',
  encoder: 'encoder.onnx',
  decoder: 'decoder.int8.onnx',
  textConditioner: 'text_conditioner.onnx',
  vocabJson: 'vocab.json',
  tokenScoresJson: 'token_scores.json',
} as const;
