import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../../../errors.ts';
import type { ApiDeps } from '../../dependencies.ts';
import type { LiveDialect } from '../../websocket/live-dialect.ts';
import type { ClientFrame, ServerFrame } from '../../websocket/live-frames.ts';
import { type LiveDeps, serveLive } from '../../websocket/live-routes.ts';
import type { LiveSockets } from '../../websocket/live-sockets.ts';
import { parseBody } from '../../wire/validation.ts';
import { CharacterClock, type CharacterTimes } from '../character-times.ts';
import { parseMessage } from '../json-message.ts';
import { resolveElevenLabsModel } from '../model-names.ts';
import { nativeOptionsOf } from '../native-options.ts';
import { toFormatFields } from './formats.ts';
import { toLanguage, toVoiceFields, toVoiceName, VoiceSettingsSchema } from './settings.ts';

const LiveQuery = z.object({
  model_id: z.string().default('eleven_multilingual_v2'),
  output_format: z.string().default('mp3_44100_128'),
  language_code: z.string().optional(),
  sync_alignment: z.stringbool().default(false),
  apply_text_normalization: z.enum(['auto', 'on', 'off']).optional(),
  seed: z.coerce.number().int().optional(),
});
const LiveParams = z.object({ voice_id: z.string() });

/** What comes in. When to generate is up to us, so `generation_config` changes nothing. */
const MessageSchema = z.object({
  text: z.string().nullish(),
  voice_settings: VoiceSettingsSchema.nullish(),
  flush: z.boolean().nullish(),
  try_trigger_generation: z.boolean().nullish(),
});

/** `WS …/stream-input`: text in as it is written, audio out, as ElevenLabs' clients do it. */
export const elevenLabsLiveRoutes: FastifyPluginAsyncZod<
  LiveDeps & Pick<ApiDeps, 'voices'> & { readonly sockets: LiveSockets }
> = async (app, { sockets, ...deps }) => {
  const modelOf = () => deps.config.defaultModel;
  app.get(
    '/v1/text-to-speech/:voice_id/stream-input',
    {
      websocket: true,
      config: {
        isWebSocket: true,
        keyHeader: 'xi-api-key',
        keyQuery: 'api_key',
        scope: 'tts',
        sells: { service: 'tts', modelOf },
      },
      schema: { hide: true, params: LiveParams, querystring: LiveQuery },
      // What is wrong on its face is refused with a status, before there is a socket.
      preHandler: async ({ query }) => {
        const { output_format, model_id } = query as z.output<typeof LiveQuery>;
        toFormatFields(output_format);
        resolveElevenLabsModel(model_id, deps.config);
      },
    },
    (socket, request) => {
      const { query, params } = request;
      const body = {
        latency: 'low',
        ...toFormatFields(query.output_format),
        reference_id: toVoiceName(params.voice_id),
        language: toLanguage(query.language_code, params.voice_id, deps.voices),
        normalize: query.apply_text_normalization !== 'off',
        seed: query.seed ?? null,
        ...nativeOptionsOf(request),
      };
      serveLive(deps, sockets, {
        socket,
        request,
        dialect: new ElevenLabsDialect(body, { hasTimings: query.sync_alignment }),
        hasTimings: query.sync_alignment,
        model: resolveElevenLabsModel(query.model_id, deps.config),
      });
    },
  );
};

/** One socket: the first message opens its only session, an empty text ends it. */
export class ElevenLabsDialect implements LiveDialect {
  readonly hasOneSession = true;
  readonly #body: Readonly<Record<string, unknown>>;
  readonly #clock = new CharacterClock(() => this.#text);
  #text = '';
  readonly #hasTimings: boolean;
  #hasStarted = false;

  constructor(body: Readonly<Record<string, unknown>>, options: { readonly hasTimings: boolean }) {
    this.#body = body;
    this.#hasTimings = options.hasTimings;
  }

  read(message: Buffer): readonly ClientFrame[] {
    const { text, voice_settings, flush, try_trigger_generation } = parseBody(
      MessageSchema,
      parseMessage(message),
    );
    const frames: ClientFrame[] = [];
    if (!this.#hasStarted) {
      this.#hasStarted = true;
      frames.push({ event: 'start', request: { ...this.#body, ...toVoiceFields(voice_settings) } });
      // The space that opens a session is none of its text.
      if (text === ' ') return frames;
    }
    if (text === '') return [...frames, { event: 'stop' }];
    if (text) {
      this.#text += text;
      frames.push({ event: 'text', text });
    }
    return flush || try_trigger_generation ? [...frames, { event: 'flush' }] : frames;
  }

  write(frame: ServerFrame): readonly string[] {
    switch (frame.event) {
      case 'audio': {
        const { audio, alignment, content = '', chunk_seq = 0, chunk_audio_offset_sec = 0 } = frame;
        const times = alignment && this.#clock.add({ alignment, content, chunk_seq, chunk_audio_offset_sec });
        const base64 = Buffer.from(audio).toString('base64');
        return [JSON.stringify({ ...(base64 !== '' && { audio: base64 }), ...toWireTimes(times) })];
      }
      case 'error':
        return [JSON.stringify({ error: frame.error, code: ERRORS[frame.code as ErrorCode].status })];
      case 'finish':
        return frame.reason === 'error' ? [] : [...this.#lastTimes(), JSON.stringify({ isFinal: true })];
    }
  }

  #lastTimes(): string[] {
    const times = this.#hasTimings ? this.#clock.finish() : undefined;
    return times ? [JSON.stringify(toWireTimes(times))] : [];
  }
}

/** Milliseconds on the timeline of the whole session. */
function toWireTimes(times: CharacterTimes | null | undefined) {
  if (!times) return {};
  const ms = (seconds: number) => Math.round(seconds * 1000);
  const durations = times.startSeconds.map((start, index) => ms((times.endSeconds[index] ?? start) - start));
  const alignment = {
    chars: times.characters,
    charStartTimesMs: times.startSeconds.map(ms),
    // Its documents spell it in both ways.
    charDurationsMs: durations,
    charsDurationsMs: durations,
  };
  return { alignment, normalizedAlignment: alignment };
}
