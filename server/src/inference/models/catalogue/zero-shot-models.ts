import type { Model, ModelFile } from './model.ts';

/** Small files first: if the download is killed, little is transferred twice. */
const POCKET_FILE_NAMES = [
  'vocab.json',
  'token_scores.json',
  'text_conditioner.onnx',
  'lm_flow.int8.onnx',
  'decoder.int8.onnx',
  'encoder.onnx',
  'lm_main.int8.onnx',
];

/** File names of sherpa-onnx, and the names in the repository of the authors of ZipVoice. */
const ZIPVOICE_FILES: readonly (readonly [name: string, hubName: string])[] = [
  ['tokens.txt', 'tokens.txt'],
  ['encoder.int8.onnx', 'text_encoder_int8.onnx'],
  ['decoder.int8.onnx', 'fm_decoder_int8.onnx'],
];

/** espeak-ng phonemizes English, so the runtime needs no lexicon, but it rejects an empty one. */
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
 * The models of the zero-shot engines. They are in no npm registry, and no test uses the real weights. A file without
 * a published hash is trusted on first use with the hash of the hub, which is then recorded.
 */
export const ZERO_SHOT_MODELS: readonly Model[] = [
  {
    id: 'pocket-tts',
    title: 'Pocket TTS, 8 bit, zero-shot',
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
    title: 'ZipVoice-Distill, 8 bit, with the Vocos vocoder, zero-shot (needs the transcript)',
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
