import type { Socket } from 'node:net';
import { ApiError } from '../../errors.ts';
import { errorBody, errorHeaders } from './error-handler.ts';
import { newTraceId, TRACE_HEADER } from './trace.ts';

/** Responds to bytes that Node cannot parse as HTTP with an error in the usual format, and closes the connection. */
export function respondToParseError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy(error);
    return;
  }
  const status = STATUS_LINES[error.code ?? ''] ?? '400 Bad Request';
  const parseError = new ApiError(
    'invalid_request',
    'The request is not valid HTTP, or did not arrive in time.',
  );
  const body = JSON.stringify({ ...errorBody(parseError), status: Number(status.slice(0, 3)) });
  const headers = {
    ...errorHeaders(parseError),
    [TRACE_HEADER]: newTraceId(),
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`);
}

const STATUS_LINES: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};
