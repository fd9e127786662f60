import type { Config } from '../config.ts';
import type { ApiKeys, Caller } from '../keys/api-keys.ts';
import type { Logger } from '../logger.ts';
import type { SpeechService } from '../speech/speech-service.ts';
import type { VoiceCatalogue } from '../voices/voice-catalogue.ts';
import type { HealthReport } from './schemas/health.ts';

/** What the HTTP layer needs from the rest of the server. */
export interface HttpDeps {
  readonly config: HttpConfig;
  readonly logger: Logger;
  readonly keys: Pick<ApiKeys, 'authenticate'>;
  readonly speech: SpeechService;
  readonly voices: VoiceCatalogue;
  readonly health: () => HealthReport;
}

export type HttpConfig = Pick<
  Config,
  | 'bodyMaxBytes'
  | 'textMaxChars'
  | 'streamStallSeconds'
  | 'corsOrigins'
  | 'publicVoices'
  | 'defaultModel'
  | 'wireModels'
>;

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks. Set on every route that needs a key. */
    caller: Caller | undefined;
  }
  interface FastifyContextConfig {
    /** The route answers without a key. Routes are closed unless they say so. */
    isOpen?: boolean;
  }
}
