// Serves the example pages and the built client library on 127.0.0.1, and nothing else of the repository: the data folder
// holds an API key.
//
//   node examples/browser/serve.mjs [PORT]
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const PAGES_PATH = '/examples/browser/';
const PAGES = new Map([
  ['/', 'index.html'],
  [PAGES_PATH, 'index.html'],
  ...['microphone.html', 'microphone.js', 'recorder-worklet.js'].map((name) => [PAGES_PATH + name, name]),
]);
const LIBRARY = new URL('../../sdk/typescript/dist/', import.meta.url);
const LIBRARY_PATH = /^\/sdk\/typescript\/dist\/((?:[a-z0-9-]+\/)*[a-z0-9-]+\.js)$/;

const server = createServer(async (request, response) => {
  const file = fileOf(new URL(request.url ?? '/', 'http://localhost').pathname);
  const content = file && (await readFile(file).catch(() => undefined));
  if (content === undefined) return response.writeHead(404).end();
  const type = file.pathname.endsWith('.html') ? 'text/html' : 'text/javascript';
  return response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(content);
});

function fileOf(path) {
  const page = PAGES.get(path);
  if (page !== undefined) return new URL(page, import.meta.url);
  const name = LIBRARY_PATH.exec(path)?.[1];
  return name === undefined ? undefined : new URL(name, LIBRARY);
}

server.listen(Number(process.argv[2] ?? 9000), '127.0.0.1', () => {
  console.log(`Open http://localhost:${server.address().port}/examples/browser/`);
});
process.on('SIGTERM', () => server.close());
