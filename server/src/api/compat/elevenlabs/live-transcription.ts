import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { parseLanguageHint } from '../../../domain/transcription/language-hint.ts';
import { ERRORS, type ErrorCode } from '../../../errors.ts';
import type { MessageDialect, SocketMessage } from '../../websocket/message-socket.ts';
import { type ListeningDeps, serveListening } from '../../websocket/serve-listening.ts';
import { parseMessage } from '../json-message.ts';
import { resolveScribeModel } from '../model-names.ts';
import { refuseNativeOptions } from '../native-options.ts';
import { toLanguageTag } from './settings.ts';

const refused = (field: string) => z.undefined(`\`${field}\` is not supported`).optional();

const ListeningQuery = z.object({
  model_id: z.string().default('scribe_v2_realtime'),
  audio_format: z
    .string()
    .regex(/^pcm_\d+$/, 'audio_format can only be pcm_ and a rate, such as pcm_16000')
    .default('pcm_16000'),
  commit_strategy: z
    .literal('manual', '`commit_strategy` can only be `manual`; `WS /v1/asr/live` finds pauses by itself')
    .default('manual'),
  language_code: z.string().optional(),
  keyterms: z
    .union([z.string(), z.array(z.string())])
    .transform((terms) => [terms].flat())
    .optional(),
  entity_detection: refused('entity_detection'),
  transcript_edit: refused('transcript_edit'),
  no_verbatim: z.literal('false', '`no_verbatim` is not supported').optional(),
});

const ChunkSchema = z.object({
  message_type: z.literal('input_audio_chunk'),
  audio_base_64: z.string().default(''),
  commit: z.boolean().nullish(),
});

/** `WS /v1/speech-to-text/realtime` as ElevenLabs' clients use it. */
export const elevenLabsListeningRoutes: FastifyPluginAsyncZod<ListeningDeps> = async (app, deps) => {
  app.get(
    '/v1/speech-to-text/realtime',
    {
      websocket: true,
      config: {
        isWebSocket: true,
        keyHeader: 'xi-api-key',
        keyQuery: 'api_key',
        scope: 'asr',
        sells: { service: 'asr', modelOf: () => 'transcribe-1' },
      },
      schema: { hide: true, querystring: ListeningQuery },
      // What is wrong on its face is refused with a status, before there is a socket.
      preHandler: async (request) => {
        const { model_id, language_code } = request.query as z.output<typeof ListeningQuery>;
        refuseNativeOptions(request);
        resolveScribeModel(model_id);
        parseLanguageHint(toLanguageTag(language_code));
      },
    },
    async (socket, request) => {
      const { model_id, audio_format, language_code, keyterms } = request.query;
      const config = {
        sample_rate: Number(audio_format.slice('pcm_'.length)),
        language: toLanguageTag(language_code) ?? null,
        ...(keyterms && { vocabulary: keyterms }),
      };
      const started = { message_type: 'session_started', session_id: request.id };
      socket.send(JSON.stringify({ ...started, config: { model_id, audio_format, language_code } }));
      const model = resolveScribeModel(model_id);
      await serveListening(deps, { socket, request, dialect: new ScribeDialect(config), model });
    },
  );
};

/** A segment as the native dialect tells it. */
interface ToldSegment {
  readonly language_code: string;
  readonly words: readonly { readonly text: string; readonly start: number; readonly end: number }[];
}

/** One socket: sound comes in chunks, and each commit is answered with what was heard since the last. */
export class ScribeDialect implements MessageDialect {
  readonly #config: Readonly<Record<string, unknown>>;
  #isOpen = false;
  /** Sound before the chunks that are not committed yet. */
  #committedSeconds = 0;
  #segments: ToldSegment[] = [];

  constructor(config: Readonly<Record<string, unknown>>) {
    this.#config = config;
  }

  read(data: Buffer): readonly SocketMessage[] {
    const chunk = ChunkSchema.safeParse(parseMessage(data));
    // Whatever else clients say means nothing here.
    if (!chunk.success) return [];
    const audio = Buffer.from(chunk.data.audio_base_64, 'base64');
    const messages: SocketMessage[] = [];
    if (audio.length > 0) {
      if (!this.#isOpen) messages.push({ event: 'start', request: this.#config });
      this.#isOpen = true;
      messages.push({ event: 'audio', audio });
    }
    if (!chunk.data.commit) return messages;
    this.#isOpen = false;
    return [...messages, { event: 'stop' }];
  }

  write(message: SocketMessage): readonly string[] {
    switch (message.event) {
      case 'partial':
        return [JSON.stringify({ message_type: 'partial_transcript', text: message.text })];
      case 'segment':
        this.#segments.push(message as unknown as ToldSegment);
        return [];
      case 'error':
        return [JSON.stringify(toError(message))];
      default:
        return message.reason === 'error' ? [] : this.#commit(message);
    }
  }

  #commit({ text, duration }: SocketMessage): string[] {
    const segments = this.#segments;
    const offset = this.#committedSeconds;
    this.#segments = [];
    this.#committedSeconds += Number(duration);
    const words = segments
      .flatMap((segment) => segment.words)
      .map((word) => ({
        text: word.text,
        type: 'word',
        start: offset + word.start,
        end: offset + word.end,
      }));
    const language_code = segments[0]?.language_code ?? '';
    return [
      JSON.stringify({ message_type: 'committed_transcript', text }),
      JSON.stringify({ message_type: 'committed_transcript_with_timestamps', text, language_code, words }),
    ];
  }
}

/** What clients call a failure, by our status. */
const KINDS: Readonly<Record<number, string>> = {
  401: 'auth_error',
  402: 'quota_exceeded',
  403: 'auth_error',
  429: 'rate_limited',
};

function toError({ error, code }: SocketMessage) {
  const { status } = ERRORS[code as ErrorCode];
  const kind = KINDS[status] ?? (status < 500 ? 'input_error' : 'transcriber_error');
  return { message_type: kind, error };
}
