import { joinBytes } from '../audio/bytes.ts';
import { fromPcm16Bytes } from '../audio/encode/pcm16.ts';
import type { Config } from '../config/config.ts';
import type { AuditLog } from '../domain/accounts/audit/audit-log.ts';
import { reportVoiceUse } from '../domain/speech/report-voice-use.ts';
import type { SpeechService } from '../domain/speech/speech-service.ts';
import { joinTexts, mainLanguage } from '../domain/transcription/transcript-text.ts';
import type {
  LiveInput,
  TranscriptionService,
  TranscriptSegment,
} from '../domain/transcription/transcription-service.ts';
import type { VoiceCatalogue } from '../domain/voices/catalogue/voice-catalogue.ts';
import { DesignSigner } from '../domain/voices/design/design-signer.ts';
import { VoiceDesigner, type VoiceGenerator } from '../domain/voices/design/voice-designer.ts';
import type { ClipReader } from '../domain/voices/intake/clip-reader.ts';
import { ReferenceVoices } from '../domain/voices/library/reference-voices.ts';
import { VoiceLibrary, type VoiceLibraryDeps } from '../domain/voices/library/voice-library.ts';
import { type SpeakSample, VoicePreviews } from '../domain/voices/library/voice-previews.ts';
import { VoiceRecordings } from '../domain/voices/library/voice-recordings.ts';
import { VoiceResolver } from '../domain/voices/library/voice-resolver.ts';
import type { ClipTranscriber, VoiceCloner } from '../domain/voices/voice-cloner.ts';
import type { Database } from '../infrastructure/sql/database.ts';
import { isPostgres } from '../infrastructure/sql/database-clock.ts';
import { sharedSecret } from '../infrastructure/sql/shared-secret.ts';
import { SqlVoiceStore } from '../infrastructure/sql/sql-voice-store.ts';
import type { Logger } from '../logger.ts';
import { openFileStore } from './files.ts';
import { DEFAULT_SPEECH_REQUEST, NO_ACCOUNT } from './speech/speech-runtime.ts';

export interface VoicesDeps {
  readonly logger: Logger;
  readonly audit: AuditLog;
  readonly cloner?: VoiceCloner | undefined;
  readonly reader?: ClipReader | undefined;
  readonly transcriber?: ClipTranscriber | undefined;
  readonly onMaking?: VoiceLibraryDeps['onCreationStart'];
  readonly speech?: Pick<SpeechService, 'speak'> | undefined;
  /** Whether a zero-shot engine is installed. */
  readonly hasZeroShotEngine?: boolean;
}

/** The voice library on the database and the file storage. */
export function openVoiceLibrary(db: Database, config: Config, deps: VoicesDeps): VoiceLibrary {
  const files = openFileStore(config, 'files');
  const onProblem = (voiceId: string, error: unknown) =>
    deps.logger.warn({ err: error, voiceId }, 'a background task of a voice failed');
  return new VoiceLibrary({
    store: new SqlVoiceStore(db),
    isShared: isPostgres(db),
    files,
    recordings:
      deps.hasZeroShotEngine && deps.reader
        ? new VoiceRecordings({
            files,
            reader: deps.reader,
            limits: {
              speechMinSeconds: config.voiceSpeechMinSeconds,
              maxSeconds: config.voiceClipMaxSeconds,
              ffmpegPath: config.ffmpegPath,
            },
            transcriber: deps.transcriber,
            cacheMax: config.referenceCacheMax,
            onProblem,
          })
        : undefined,
    cloner: deps.cloner,
    reader: deps.reader,
    transcriber: deps.transcriber,
    onCreationStart: deps.onMaking,
    speak: deps.speech && sampleSpeaker(deps.speech),
    settings: config,
    audit: ({ action, owner, voiceId, facts }) =>
      deps.audit.record({
        action,
        actor: { name: owner.keyId, source: owner.source },
        accountId: owner.accountId,
        target: voiceId,
        facts,
      }),
    onProblem,
  });
}

/** Transcribes the recordings of voices with the transcription service. */
export function clipTranscriber(
  transcription: Pick<TranscriptionService, 'transcribeLive'>,
): ClipTranscriber {
  const options = {
    model: 'transcribe-1',
    language: undefined,
    prompt: undefined,
    vocabulary: [],
    speakers: undefined,
  } as const;
  return {
    async transcribe(samples16k, signal) {
      const segments: TranscriptSegment[] = [];
      for await (const event of transcription.transcribeLive(options, singleInput(samples16k), signal)) {
        if (event.type === 'segment') segments.push(event.segment);
      }
      return { text: joinTexts(segments), language: mainLanguage(segments) };
    },
  };
}

/** All samples in one message, because no partials are needed. */
async function* singleInput(samples: Float32Array): AsyncGenerator<LiveInput> {
  yield samples;
}

/** Resolves the voices of requests: built-in, from the voice library, or from recordings in the request. */
export function createVoiceResolver(
  config: Config,
  { voices, library }: { readonly voices: VoiceCatalogue; readonly library: VoiceLibrary },
): VoiceResolver {
  const references = new ReferenceVoices({
    clone: (recordings, call) => library.cloneUnstored(recordings, call),
    settings: config,
  });
  return new VoiceResolver({ catalogue: voices, library, references });
}

/** The speech service, counting the uses of each voice. */
export function withUseCounts(
  speech: SpeechService,
  { voices, library }: { readonly voices: VoiceCatalogue; readonly library: VoiceLibrary },
): SpeechService {
  return reportVoiceUse(speech, (names) => {
    const ids = names.map((name) => voices.resolve(name)?.id ?? name);
    library.countUses(ids.filter((id) => VOICE_ID.test(id)));
  });
}

const VOICE_ID = /^[0-9a-f]{32}$/;

/** Previews of built-in voices, stored as files. */
export function openVoicePreviews(config: Config, speech: Pick<SpeechService, 'speak'>): VoicePreviews {
  return new VoicePreviews({ files: openFileStore(config, 'previews'), speak: sampleSpeaker(speech) });
}

const DESIGN_RATE_HZ = 44_100;

/** Designs voices from descriptions, and verifies the candidates that clients return. */
export async function openVoiceDesigner(
  db: Database,
  config: Config,
  deps: { readonly generator?: VoiceGenerator | undefined; readonly speech: Pick<SpeechService, 'speak'> },
): Promise<VoiceDesigner> {
  return new VoiceDesigner({
    generator: deps.generator,
    settings: config,
    signer: new DesignSigner(await sharedSecret(db, 'voice-design')),
    async speak(voice, options, signal) {
      const format = { format: 'pcm', sampleRateHz: DESIGN_RATE_HZ } as const;
      const request = {
        ...DEFAULT_SPEECH_REQUEST,
        ...options,
        ...format,
        voice,
      };
      const parts: Uint8Array[] = [];
      for await (const part of (await deps.speech.speak(request, signal)).body) parts.push(part);
      return { samples: fromPcm16Bytes(joinBytes(parts)), sampleRateHz: DESIGN_RATE_HZ };
    },
  });
}

function sampleSpeaker(speech: Pick<SpeechService, 'speak'>): SpeakSample {
  return async (voice, { text, accountId = NO_ACCOUNT }, signal) => {
    const request = { ...DEFAULT_SPEECH_REQUEST, accountId, text, voice };
    return (await speech.speak(request, signal)).body;
  };
}
