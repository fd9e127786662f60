import type { FastifyRequest } from 'fastify';
import { keyFromSubprotocols } from './subprotocols.ts';

/** The API key of a request, from any of the places that its route allows. */
export function keyOf(request: FastifyRequest): string | undefined {
  const bearer = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
  if (bearer !== undefined) return bearer;
  const { keyHeader, keyQuery } = request.routeOptions.config;
  const named = keyHeader && [request.headers[keyHeader]].flat()[0];
  if (named) return named;
  const fromQuery = request.ws && keyQuery && queryOf(request).get(keyQuery);
  if (fromQuery) return fromQuery;
  return request.ws ? keyFromSubprotocols(request.headers['sec-websocket-protocol']) : undefined;
}

/** As it was sent: after validation `request.query` has only the parameters that the schema of the route names. */
function queryOf({ url }: FastifyRequest): URLSearchParams {
  return new URLSearchParams(url.slice(url.indexOf('?') + 1));
}

/** The `model` header of a request, or on a WebSocket `?model=`, since browsers cannot set headers there. */
export function modelNameOf(request: FastifyRequest): string | undefined {
  const header = [request.headers.model].flat()[0];
  if (header !== undefined || !request.ws) return header;
  const { model } = request.query as { readonly model?: string | readonly string[] };
  return [model].flat()[0];
}
