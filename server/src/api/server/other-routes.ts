import type { FastifyInstance, RouteOptions } from 'fastify';
import { z } from 'zod';
import { OTHER_ROUTE_TEXTS, type OtherRouteText } from './other-route-texts.ts';

/** A route of the reference page that is not in the OpenAPI document. */
interface OtherRoute extends Omit<OtherRouteText, 'parameters'> {
  readonly method: string;
  readonly path: string;
  readonly isOpen: boolean;
  readonly parameters: readonly object[];
  /** JSON Schema of the body, when the route has one. */
  readonly bodySchema?: object;
}

/** Prefixes under which the same routes are repeated for other clients. */
const REPEATED = /^\/compat\/(v1|api|openai)\//;

declare module 'fastify' {
  interface FastifyInstance {
    /** Describes the WebSockets and the routes of other services that are registered. */
    readonly describeOtherRoutes: () => readonly OtherRoute[];
  }
}

/** Collects the WebSockets and the routes of other services among the routes that are registered afterwards. */
export function collectOtherRoutes(app: FastifyInstance): void {
  const descriptions: (() => OtherRoute)[] = [];
  // Later, since the schemas of all routes take a tenth of the start.
  app.decorate('describeOtherRoutes', () => descriptions.map((description) => description()));
  app.addHook('onRoute', (route) => {
    const method = route.config?.isWebSocket === true ? 'ws' : String(route.method).toLowerCase();
    const isHidden = route.schema?.hide === true && /^\/(v1|compat)\//.test(route.url);
    if (!(isHidden || method === 'ws') || route.method === 'HEAD' || REPEATED.test(route.url)) return;
    const text = OTHER_ROUTE_TEXTS[`${method} ${route.url}`];
    if (text === undefined) throw new Error(`other-route-texts.ts has no text for ${method} ${route.url}.`);
    descriptions.push(() => describe(method, route, text));
  });
}

function describe(method: string, route: RouteOptions, text: OtherRouteText): OtherRoute {
  const { params, querystring, body } = route.schema ?? {};
  const bodySchema = toJsonSchema(body);
  return {
    ...text,
    method,
    path: route.url.replaceAll(/:(\w+)/g, '{$1}'),
    isOpen: route.config?.isOpen === true,
    parameters: [...parametersOf(params, 'path', text), ...parametersOf(querystring, 'query', text)],
    ...(bodySchema && { bodySchema }),
  };
}

function parametersOf(
  schema: unknown,
  place: 'path' | 'query',
  { parameters = {} }: OtherRouteText,
): object[] {
  const { properties = {} } = toJsonSchema(schema) ?? {};
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path',
    schema: property,
    example: parameters[name],
  }));
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, object>>;
}

function toJsonSchema(schema: unknown): ObjectSchema | undefined {
  if (!(schema instanceof z.ZodType)) return undefined;
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as ObjectSchema;
}
