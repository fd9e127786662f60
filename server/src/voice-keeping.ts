import { join } from 'node:path';
import type { Config } from './config.ts';
import type { AuditLog } from './keys/audit-log.ts';
import type { Logger } from './logger.ts';
import { DEFAULT_SPEAK_REQUEST } from './speaking.ts';
import type { SpeechService } from './speech/speech-service.ts';
import type { Database } from './storage/database.ts';
import { FolderFileStore } from './storage/folder-file-store.ts';
import { SqlVoiceStore } from './storage/sql-voice-store.ts';
import type { ClipTranscriber, VoiceCloner } from './voices/voice-cloner.ts';
import { VoiceLibrary } from './voices/voice-library.ts';
import { VoicePreviews } from './voices/voice-previews.ts';

export interface VoiceKeepingDeps {
  readonly logger: Logger;
  readonly audit: AuditLog;
  readonly cloner?: VoiceCloner | undefined;
  readonly transcriber?: ClipTranscriber | undefined;
}

/** The voices that people make, over the database and the data folder. */
export function openVoiceLibrary(db: Database, config: Config, deps: VoiceKeepingDeps): VoiceLibrary {
  return new VoiceLibrary({
    store: new SqlVoiceStore(db),
    files: voiceFiles(config),
    cloner: deps.cloner,
    transcriber: deps.transcriber,
    settings: config,
    audit: ({ action, owner, voiceId, facts }) =>
      deps.audit.record({
        action,
        actor: { name: owner.keyId, source: owner.source },
        accountId: owner.accountId,
        target: voiceId,
        facts,
      }),
    onProblem: (voiceId, error) => deps.logger.warn({ err: error, voiceId }, 'a voice could not be refined'),
  });
}

/** Built-in voices introducing themselves, kept in the data folder. */
export function openVoicePreviews(config: Config, speech: Pick<SpeechService, 'speak'>): VoicePreviews {
  return new VoicePreviews({
    files: voiceFiles(config),
    speak: async ({ id }, text, signal) =>
      (await speech.speak({ ...DEFAULT_SPEAK_REQUEST, text, voice: id }, signal)).body,
  });
}

function voiceFiles({ dataFolder }: Pick<Config, 'dataFolder'>): FolderFileStore {
  return new FolderFileStore(join(dataFolder, 'files'));
}
