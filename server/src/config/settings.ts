import type { Setting } from './setting.ts';
import { ACCOUNTS_SETTINGS } from './settings/accounts.ts';
import { CLUSTER_SETTINGS } from './settings/cluster.ts';
import { LIVE_SPEECH_SETTINGS } from './settings/live-speech.ts';
import { LONG_SPEECH_SETTINGS } from './settings/long-speech.ts';
import { MODELS_SETTINGS } from './settings/models.ts';
import { NETWORK_SETTINGS } from './settings/network.ts';
import { OBSERVATION_SETTINGS } from './settings/observation.ts';
import { REQUESTS_SETTINGS } from './settings/requests.ts';
import { SPEECH_SETTINGS } from './settings/speech.ts';
import { STORAGE_SETTINGS } from './settings/storage.ts';
import { TRANSCRIPTION_SETTINGS } from './settings/transcription.ts';
import { VOICES_SETTINGS } from './settings/voices.ts';
import { WORKERS_SETTINGS } from './settings/workers.ts';

/** Settings of one subject: a section of the reference and of `--help`. */
export interface SettingGroup {
  readonly title: string;
  readonly settings: Readonly<Record<string, Setting>>;
}

/** The sections of the reference, in order. */
export const SETTING_GROUPS: readonly SettingGroup[] = [
  { title: 'Network', settings: NETWORK_SETTINGS },
  { title: 'Storage', settings: STORAGE_SETTINGS },
  { title: 'Models', settings: MODELS_SETTINGS },
  { title: 'Worker processes', settings: WORKERS_SETTINGS },
  { title: 'Cluster', settings: CLUSTER_SETTINGS },
  { title: 'Accounts and billing', settings: ACCOUNTS_SETTINGS },
  { title: 'Request bodies and uploads', settings: REQUESTS_SETTINGS },
  { title: 'Speech', settings: SPEECH_SETTINGS },
  { title: 'Live speech', settings: LIVE_SPEECH_SETTINGS },
  { title: 'Audiobooks and dubbing', settings: LONG_SPEECH_SETTINGS },
  { title: 'Transcription', settings: TRANSCRIPTION_SETTINGS },
  { title: 'Voices and dictionaries', settings: VOICES_SETTINGS },
  { title: 'Logs, metrics and traces', settings: OBSERVATION_SETTINGS },
];

/**
 * Every setting of the server. The type, the environment variable, the command-line option, the key in the config
 * file, `--help` and `docs/reference/settings.md` are derived from these tables.
 */
export const SETTINGS = {
  ...NETWORK_SETTINGS,
  ...STORAGE_SETTINGS,
  ...MODELS_SETTINGS,
  ...WORKERS_SETTINGS,
  ...CLUSTER_SETTINGS,
  ...ACCOUNTS_SETTINGS,
  ...REQUESTS_SETTINGS,
  ...SPEECH_SETTINGS,
  ...LIVE_SPEECH_SETTINGS,
  ...LONG_SPEECH_SETTINGS,
  ...TRANSCRIPTION_SETTINGS,
  ...VOICES_SETTINGS,
  ...OBSERVATION_SETTINGS,
} as const;
