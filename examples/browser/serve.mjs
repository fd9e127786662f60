// Serves the example pages and the built client library, and nothing else of the repository: the data folder holds an
// API key.
//
//   node examples/browser/serve.mjs [PORT]                          on this machine only
//   node examples/browser/serve.mjs [PORT] --tls CERT.pem KEY.pem   with HTTPS, for phones on the local network
//
// With --tls, requests and WebSockets below /v1/ go to the server at MYNAH_BASE_URL, so that a phone needs to trust one address only.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { relayRequest, relaySocket } from './relay.mjs';

const PAGES_PATH = '/examples/browser/';
const PAGES = new Map([
  ['/', 'index.html'],
  [PAGES_PATH, 'index.html'],
  ...['microphone.html', 'microphone.js', 'push-to-talk.html', 'recorder-worklet.js'].map((name) => [
    PAGES_PATH + name,
    name,
  ]),
]);
const LIBRARY = new URL('../../sdk/typescript/dist/', import.meta.url);
const LIBRARY_PATH = /^\/sdk\/typescript\/dist\/((?:[a-z0-9-]+\/)*[a-z0-9-]+\.js)$/;
const MYNAH = new URL(process.env.MYNAH_BASE_URL ?? 'http://127.0.0.1:8080');

const { port, tls } = parseArguments(process.argv.slice(2));
const server = tls === undefined ? createHttpServer(answer) : createHttpsServer(tls, answer);
if (tls !== undefined)
  server.on('upgrade', (request, socket, head) => {
    if (isApiPath(pathOf(request))) return relaySocket(MYNAH, request, socket, head);
    return socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  });
server.listen(port, tls === undefined ? '127.0.0.1' : '0.0.0.0', () => {
  const origin = `${tls === undefined ? 'http' : 'https'}://localhost:${server.address().port}`;
  const page = tls === undefined ? '' : 'push-to-talk.html (from a phone: the address of this machine)';
  console.log(`Open ${origin}${PAGES_PATH}${page}`);
});
process.on('SIGTERM', () => server.close());

function parseArguments(args) {
  const option = args.indexOf('--tls');
  const [cert, key] = option < 0 ? [] : args.splice(option).slice(1);
  const files = key === undefined ? undefined : { cert: readFileSync(cert), key: readFileSync(key) };
  if (option >= 0 && files === undefined) throw new Error('--tls needs a certificate and its key.');
  return { port: Number(args[0] ?? 9000), tls: files };
}

async function answer(request, response) {
  const path = pathOf(request);
  if (tls !== undefined && isApiPath(path)) return relayRequest(MYNAH, request, response);
  const file = fileOf(path);
  const content = file && (await readFile(file).catch(() => undefined));
  if (content === undefined) return response.writeHead(404).end();
  const type = file.pathname.endsWith('.html') ? 'text/html' : 'text/javascript';
  return response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(content);
}

function pathOf(request) {
  return new URL(request.url ?? '/', 'http://localhost').pathname;
}

function isApiPath(path) {
  return path.startsWith('/v1/');
}

function fileOf(path) {
  const page = PAGES.get(path);
  if (page !== undefined) return new URL(page, import.meta.url);
  const name = LIBRARY_PATH.exec(path)?.[1];
  return name === undefined ? undefined : new URL(name, LIBRARY);
}
