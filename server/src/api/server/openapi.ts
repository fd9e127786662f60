import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { VERSION } from '../../config/package-info.ts';
import { TRACE_HEADER } from '../wire/trace.ts';
import { addExample } from './openapi-examples.ts';

/** Builds the OpenAPI document from the schemas of all routes that are registered afterwards. */
export async function addOpenApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Mynah',
        version: VERSION,
        description: 'A self-hosted text-to-speech and speech-to-text server with the Fish Audio API.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      tags: [
        { name: 'speech', description: 'Text to speech' },
        { name: 'transcription', description: 'Speech to text' },
        { name: 'pronunciation', description: 'Pronunciation dictionaries' },
        { name: 'voices', description: 'Built-in, cloned, designed and mixed voices' },
        { name: 'wallet', description: 'Credit and usage' },
        { name: 'keys', description: 'API keys of the own account; needs the scope `keys:write`' },
        { name: 'admin', description: 'For operators; needs the scope `admin`' },
        { name: 'console', description: 'Sessions of the web console' },
        { name: 'server', description: 'The server itself' },
      ],
      components: {
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'An API key.' } },
      },
      security: [{ bearer: [] }],
    },
    transform: jsonSchemaTransform,
    transformObject: (document) =>
      withExamples(
        withTraceHeaders(withoutUnusedSchemas(jsonSchemaTransformObject(document) as OpenApi)),
      ) as never,
  });
}

interface OpenApi {
  readonly paths: Record<
    string,
    Record<string, { readonly operationId: string; responses: Record<string, object> }>
  >;
  readonly components: { readonly schemas: Record<string, unknown> };
}

/**
 * The type provider makes two components of every schema, `X` for responses and `XInput` for requests. Keeps
 * those in use, and removes the suffix where only one is in use.
 */
function withoutUnusedSchemas(document: OpenApi): OpenApi {
  const all = document.components.schemas;
  const used = new Set<string>();
  const visit = (value: unknown): void => {
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (name === undefined || used.has(name)) continue;
      used.add(name);
      visit(all[name]);
    }
  };
  visit(document.paths);

  const publicName = (name: string): string => {
    const short = name.replace(/Input$/, '');
    return used.has(short) ? name : short;
  };
  const schemas = [...used].sort().map((name) => [publicName(name), all[name]]);
  const renamed = JSON.stringify({
    ...document,
    components: { ...document.components, schemas: Object.fromEntries(schemas) },
  });
  return JSON.parse(
    renamed.replaceAll(
      /"#\/components\/schemas\/([^"]+)"/g,
      (_, name: string) => `"#/components/schemas/${publicName(name)}"`,
    ),
    withoutIntegerLimits,
  );
}

// The limits of safe integers are noise to a reader.
function withoutIntegerLimits(key: string, value: unknown): unknown {
  const isLimit =
    (key === 'minimum' || key === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
  return isLimit ? undefined : value;
}

function withTraceHeaders(document: OpenApi): OpenApi {
  const trace = {
    description: 'Identifies the request in the server’s log.',
    schema: { type: 'string', pattern: '^[0-9a-f]{32}$' },
  };
  const code = { description: 'Stable error code.', schema: { type: 'string' } };
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    for (const [status, response] of Object.entries(operation.responses)) {
      const headers = { [TRACE_HEADER]: trace, ...(Number(status) >= 400 && { 'x-fish-error-code': code }) };
      Object.assign(response, { headers });
    }
  }
  return document;
}

function withExamples(document: OpenApi): OpenApi {
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    addExample(operation);
  }
  return document;
}
