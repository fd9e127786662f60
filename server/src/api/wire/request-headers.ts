import type { FastifyRequest } from 'fastify';
import { keyOffered } from './subprotocols.ts';

/** The API key that a request carries, wherever its route lets clients put it. */
export function keyOf(request: FastifyRequest): string | undefined {
  const bearer = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
  if (bearer !== undefined) return bearer;
  const { keyHeader, keyQuery } = request.routeOptions.config;
  const named = keyHeader && [request.headers[keyHeader]].flat()[0];
  if (named) return named;
  const asked = request.ws && keyQuery && (request.query as Record<string, unknown>)[keyQuery];
  if (typeof asked === 'string') return asked;
  return request.ws ? keyOffered(request.headers['sec-websocket-protocol']) : undefined;
}

/** The model that a request names: a header, and on a WebSocket also `?model=`, since browsers send no headers there. */
export function modelNameOf(request: FastifyRequest): string | undefined {
  const header = [request.headers.model].flat()[0];
  if (header !== undefined || !request.ws) return header;
  const { model } = request.query as { readonly model?: string | readonly string[] };
  return [model].flat()[0];
}
