// Forwards requests and WebSockets of a page to a Mynah server.
import { request as createRequest } from 'node:http';
import { pipeline } from 'node:stream';

/** Forwards a request, and its response as it arrives. */
export function relayRequest(target, request, response) {
  const upstream = createRequest(optionsOf(target, request), (reply) => {
    response.writeHead(reply.statusCode, reply.headers);
    pipeline(reply, response, () => {});
  });
  upstream.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
  response.on('close', () => upstream.destroy());
  pipeline(request, upstream, () => {});
}

/** Forwards a WebSocket: its upgrade request, then bytes in both directions. */
export function relaySocket(target, request, client, head) {
  const upstream = createRequest(optionsOf(target, request));
  upstream.on('upgrade', (reply, server, rest) => {
    client.write(`${headOf(reply)}\r\n`);
    client.write(rest);
    server.write(head);
    pipeline(server, client, () => {});
    pipeline(client, server, () => {});
  });
  // The server refused the upgrade.
  upstream.on('response', (reply) => {
    client.write(`${headOf(reply)}\r\n`);
    pipeline(reply, client, () => {});
  });
  upstream.on('error', () => client.destroy());
  client.on('error', () => upstream.destroy());
  upstream.end();
}

function optionsOf({ hostname, port }, { method, url, headers }) {
  return { hostname, port, method, path: url, headers };
}

function headOf({ statusCode, statusMessage, rawHeaders }) {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  for (let index = 0; index < rawHeaders.length; index += 2)
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  return `${lines.join('\r\n')}\r\n`;
}
