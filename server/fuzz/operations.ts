import type { JsonSchema } from './json-schema-sample.ts';

/** An operation of the API with what a case needs to call it. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** With placeholders: `/v1/asr/{id}`. */
  readonly path: string;
  readonly queryNames: readonly string[];
  /** Schemas of the body by media type. */
  readonly bodies: Readonly<Record<string, JsonSchema>>;
  /** Needs the administrator's key. */
  readonly isAdmin: boolean;
  /** Clones or designs a voice: seconds of CPU time. */
  readonly isCostly: boolean;
}

const COSTLY =
  /^POST (\/model|\/v1\/voice-design|\/v1\/references\/\w+|\/compat\/elevenlabs\/v1\/voices\/add)$/;

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

interface OpenApiOperation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>;
  };
}

export interface Api {
  readonly operations: readonly Operation[];
  readonly components: Readonly<Record<string, JsonSchema>>;
}

const text = (example: string): JsonSchema => ({ type: 'string', enum: [example] });
const object = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});
const compat = (method: string, path: string, bodies: Operation['bodies'] = {}): Operation => ({
  id: `${method} ${path}`,
  method,
  path,
  bodies,
  queryNames: ['output_format', 'model_id'],
  isAdmin: false,
  isCostly: COSTLY.test(`${method} ${path}`),
});
const json = (schema: JsonSchema) => ({ 'application/json': schema });

/** Routes that are not in the OpenAPI document. */
const COMPAT_OPERATIONS: readonly Operation[] = [
  compat('GET', '/compat/v1/models'),
  compat('GET', '/compat/v1/audio/voices'),
  compat(
    'POST',
    '/compat/v1/audio/speech',
    json(
      object({
        input: text('Hi.'),
        voice: text('alloy'),
        model: text('tts-1'),
        response_format: text('pcm'),
      }),
    ),
  ),
  compat('POST', '/compat/v1/audio/transcriptions', {
    'multipart/form-data': object({ model: text('whisper-1') }),
  }),
  compat(
    'POST',
    '/compat/v1/chat/completions',
    json(
      object({
        model: text('gpt-audio'),
        modalities: { type: 'array', items: text('audio') },
        audio: object({ voice: text('alloy'), format: text('pcm16') }),
        messages: { type: 'array', items: object({ role: text('user'), content: text('Hi.') }) },
      }),
    ),
  ),
  compat(
    'POST',
    '/compat/elevenlabs/v1/text-to-speech/af_heart',
    json(object({ text: text('Hi.'), model_id: text('eleven_v3') })),
  ),
  compat(
    'POST',
    '/compat/elevenlabs/v1/text-to-speech/af_heart/stream/with-timestamps',
    json(object({ text: text('Hi.'), model_id: text('eleven_v3') })),
  ),
  compat('POST', '/compat/elevenlabs/v1/speech-to-text', {
    'multipart/form-data': object({ model_id: text('scribe_v1') }),
  }),
  compat('POST', '/compat/v1/audio/translations', {
    'multipart/form-data': object({ model: text('whisper-1'), response_format: text('verbose_json') }),
  }),
  compat(
    'POST',
    '/compat/elevenlabs/v1/text-to-dialogue',
    json(
      object({
        inputs: { type: 'array', items: object({ text: text('Hi.'), voice_id: text('af_heart') }) },
        model_id: text('eleven_v3'),
      }),
    ),
  ),
  compat('POST', '/compat/elevenlabs/v1/voices/add', {
    'multipart/form-data': object({ name: text('fuzz'), labels: text('{}') }),
  }),
  compat('DELETE', '/compat/elevenlabs/v1/voices/{voice_id}'),
  compat('GET', '/compat/elevenlabs/v1/user/subscription'),
  compat('GET', '/compat/elevenlabs/v1/voices'),
  compat('GET', '/compat/elevenlabs/v2/voices'),
];

/** Operations of the OpenAPI document and the compatibility routes. */
export async function readApi(url: string, headers: Readonly<Record<string, string>>): Promise<Api> {
  const document = (await (await fetch(`${url}/openapi.json`, { headers })).json()) as OpenApi;
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      queryNames: (operation.parameters ?? []).filter((one) => one.in === 'query').map((one) => one.name),
      bodies: Object.fromEntries(
        Object.entries(operation.requestBody?.content ?? {}).map(([type, { schema }]) => [type, schema]),
      ),
      isAdmin: path.startsWith('/v1/admin'),
      isCostly: COSTLY.test(`${method.toUpperCase()} ${path}`),
    })),
  );
  return {
    operations: [...documented, ...COMPAT_OPERATIONS],
    components: document.components.schemas,
  };
}
