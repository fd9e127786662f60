import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createConnection, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { encodeWavFile } from '../../src/audio/encode/wav.ts';
import { createLogger } from '../../src/logger.ts';
import { startMcpHttpServer } from '../../src/mcp/http-server.ts';
import { startTestServer, type TestServer } from '../support/servers/http-server.ts';
import { synthesizeTalk } from '../support/voices/synthetic-talk.ts';
import { RecordingCloner } from '../support/workers/recording-cloner.ts';

const CLI = fileURLToPath(new URL('../../bundle/cli.js', import.meta.url));
const RECORDING = Buffer.from('audio:hello there\nwho are you');
let server: TestServer;
let folder: string;
before(async () => {
  server = await startTestServer({ voices: { cloner: new RecordingCloner() } });
  folder = await mkdtemp(join(tmpdir(), 'mynah-mcp-'));
  await writeFile(join(folder, 'recording.wav'), RECORDING);
  const talk = synthesizeTalk({ seconds: 10, pitchHz: 110, sampleRateHz: 16_000 });
  await writeFile(join(folder, 'talk.wav'), encodeWavFile({ samples: talk, sampleRateHz: 16_000 }));
});
after(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

type Result = CallToolResult & { readonly structuredContent?: Record<string, unknown> };

function caller(client: Client) {
  return async (name: string, args: Record<string, unknown>): Promise<Result> =>
    // The client's type also allows results of an earlier version of the protocol.
    (await client.callTool({ name, arguments: args })) as Result;
}

function textOf({ content }: Result): string {
  const [first] = content;
  return first?.type === 'text' ? first.text : '';
}

test('over standard input and output the tools speak to a file, transcribe, list and clone', async (t) => {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp', '--server', server.url, '--key', server.key],
    env: { ...(process.env as Record<string, string>), MYNAH_DATA: folder },
  });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  t.after(() => client.close());
  const call = caller(client);
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(({ name }) => name).sort(), [
    'clone_voice',
    'list_voices',
    'speak',
    'transcribe',
  ]);

  const path = join(folder, 'hello.wav');
  assert.ok(!(await call('speak', { text: 'Hello.', voice: 'bf_emma', path })).isError);
  assert.ok((await readFile(path)).length > 0);
  assert.equal(server.speech.requests.at(-1)?.format, 'wav');
  assert.equal((await call('speak', { text: 'Hello.', path })).isError, true, 'a file is not replaced');
  const { content } = await call('speak', { text: 'Hello.', format: 'mp3' });
  assert.ok(
    content[0]?.type === 'audio' && content[0].mimeType === 'audio/mpeg' && content[0].data.length > 0,
  );

  const spoken = await call('transcribe', { path: join(folder, 'recording.wav'), language: 'en' });
  assert.equal(textOf(spoken), 'hello there who are you');
  const voices = await call('list_voices', { limit: 3 });
  const { voices: listed } = voices.structuredContent as { voices: unknown[] };
  assert.equal(listed.length, 3);
  const cloned = await call('clone_voice', { title: 'Ada', paths: [join(folder, 'talk.wav')] });
  assert.ok(!cloned.isError, textOf(cloned));
  assert.match(String(cloned.structuredContent?.id), /\S/);

  for (const [name, args, mention] of [
    ['speak', { text: 'Hello.', voice: 'nobody' }, /voice_not_found/],
    ['speak', { text: '' }, /text/],
    ['speak', { text: 'Hello.', speed: 9 }, /speed/],
    ['transcribe', { path: join(folder, 'missing.wav') }, /ENOENT/],
    ['clone_voice', { title: 'Ada', paths: [] }, /paths/],
    ['nothing', {}, /nothing/],
  ] as const) {
    const result = await call(name, args).catch((error: Error) => ({
      isError: true,
      content: [{ type: 'text' as const, text: error.message }],
    }));
    assert.equal(result.isError, true, name);
    assert.match(textOf(result), mention);
  }
});

test('over HTTP the tools use the key of the client and no files', async (t) => {
  const http = await startMcpHttpServer({
    host: '127.0.0.1',
    port: 0,
    baseUrl: server.url,
    logger: createLogger({ logLevel: 'silent', logFormat: 'json' }),
  });
  t.after(() => http.close());
  const url = new URL(`http://127.0.0.1:${http.port}/mcp`);
  const connect = async (key: string) => {
    const client = new Client({ name: 'test', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    const transport = new StreamableHTTPClientTransport(url, { requestInit });
    await client.connect(transport as Parameters<typeof client.connect>[0]);
    return client;
  };
  const client = await connect(server.key);
  const call = caller(client);
  const speak = (await client.listTools()).tools.find(({ name }) => name === 'speak');
  assert.equal(Object.keys(speak?.inputSchema.properties ?? {}).includes('path'), false);
  const spoken = await call('transcribe', { audio_base64: RECORDING.toString('base64') });
  assert.equal(textOf(spoken), 'hello there who are you');
  const { content } = await call('speak', { text: 'Hello.', path: join(folder, 'never.mp3') });
  assert.equal(content[0]?.type, 'audio');
  await assert.rejects(readFile(join(folder, 'never.mp3')), { code: 'ENOENT' });
  await assert.rejects(connect('wrong'), /invalid_api_key/);

  const post = (body: string, headers: Record<string, string> = { authorization: `Bearer ${server.key}` }) =>
    fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
  assert.equal((await post('{}', {})).status, 401);
  assert.equal((await post('no JSON')).status, 400);
  const listCall = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list_voices', arguments: {} },
  };
  assert.equal((await post(JSON.stringify(Array.from({ length: 5 }, () => listCall)))).status, 413);
  assert.equal((await post(`"${'a'.repeat(33 * 1024 * 1024)}"`)).status, 413);
  assert.equal((await post(`[${'[],'.repeat(200_000)}[]]`)).status, 413);
  assert.equal((await post('{}', { authorization: 'Bearer x', origin: 'http://evil.example' })).status, 403);
  assert.equal((await fetch(new URL('/other', url))).status, 404);
  assert.equal((await fetch(url)).status, 405);
});

test('over HTTP, clients without a valid key cannot keep out those with one', async (t) => {
  const http = await startMcpHttpServer({
    host: '127.0.0.1',
    port: 0,
    baseUrl: server.url,
    logger: createLogger({ logLevel: 'silent', logFormat: 'json' }),
  });
  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    return http.close();
  });
  const open = (text: string) => {
    const socket = createConnection(http.port, '127.0.0.1').on('error', () => {});
    socket.write(text);
    sockets.push(socket);
    return socket;
  };
  const ping = () =>
    fetch(`http://127.0.0.1:${http.port}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    });
  // Bodies that never end, with a key that the server does not know: refused without a wait for them.
  const body =
    'POST /mcp HTTP/1.1\r\nhost: x\r\nauthorization: Bearer wrong\r\ncontent-length: 1000\r\n\r\n{';
  const responses = await Promise.all(
    Array.from({ length: 20 }, async () => String((await once(open(body), 'data'))[0])),
  );
  assert.ok(responses.every((response) => response.startsWith('HTTP/1.1 401')));
  // More connections than the server has, which send nothing.
  for (let count = 0; count < 300; count++) open('POST /mcp');
  assert.equal((await ping()).status, 200);
});
