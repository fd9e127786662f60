import type { Model, ModelFile } from './model.ts';

/** The small ones first: when the download is killed, little is fetched twice. */
const POCKET_FILE_NAMES = [
  'vocab.json',
  'token_scores.json',
  'text_conditioner.onnx',
  'lm_flow.int8.onnx',
  'decoder.int8.onnx',
  'encoder.onnx',
  'lm_main.int8.onnx',
];

/** The names that sherpa-onnx gives the files of ZipVoice's authors when it publishes them. */
const ZIPVOICE_FILES: readonly (readonly [name: string, hubName: string])[] = [
  ['tokens.txt', 'tokens.txt'],
  ['encoder.int8.onnx', 'text_encoder_int8.onnx'],
  ['decoder.int8.onnx', 'fm_decoder_int8.onnx'],
];

/** English is read by espeak-ng, so that the runtime needs no words; it asks for a list that is not empty. */
const ZIPVOICE_LEXICON: ModelFile = {
  name: 'lexicon.txt',
  sizeBytes: 4,
  sha256: 'b9b21c746570572c9b956d02dfc3a861cd01f14d7e2e416052712a15d7b58dea',
  builtIn: () => ', ,\n',
};

const VOCOS: ModelFile = {
  name: 'vocos_24khz.onnx',
  sizeBytes: 54_157_409,
  sha256: 'bcb3b970e384161c4d634f0bb9e999ff1c471b34c9bc0b1049a5014065ed3cc0',
  release: 'https://github.com/k2-fsa/sherpa-onnx/releases/download/vocoder-models/vocos_24khz.onnx',
};

/**
 * The models of engines that speak like a recording. No registry has them, and we have never held them: where nobody
 * published a hash beside the file, the hub's own is trusted once and then recorded.
 */
export const ZERO_SHOT_MODELS: readonly Model[] = [
  {
    id: 'pocket-tts',
    title: 'Pocket TTS, 8 bit: speaks like a recording',
    task: 'tts',
    languages: ['en-US'],
    licence: 'CC-BY-4.0',
    credit: 'Pocket TTS by Kyutai (CC BY 4.0), exported for sherpa-onnx',
    isDefault: false,
    files: POCKET_FILE_NAMES.map((name) => ({
      name,
      hub: { repository: 'csukuangfj2/sherpa-onnx-pocket-tts-int8-2026-01-26', path: name },
    })),
  },
  {
    id: 'zipvoice',
    title: 'ZipVoice-Distill, 8 bit, with the Vocos vocoder: speaks like a recording and its text',
    task: 'tts',
    languages: ['en-US'],
    licence: 'Apache-2.0 AND MIT',
    credit: 'ZipVoice by Xiaomi (Apache-2.0); Vocos by Hubert Siuzdak (MIT), exported for sherpa-onnx',
    isDefault: false,
    files: [
      ZIPVOICE_LEXICON,
      ...ZIPVOICE_FILES.map(([name, hubName]) => ({
        name,
        hub: { repository: 'k2-fsa/ZipVoice', path: `zipvoice_distill/${hubName}` },
      })),
      VOCOS,
    ],
  },
];
