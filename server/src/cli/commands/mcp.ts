import { once } from 'node:events';
import { Mynah } from 'mynah';
import { createLogger } from '../../logger.ts';
import {
  LISTEN_OPTIONS,
  parseListenAddress,
  requireServer,
  serveUntilInterrupted,
} from '../bridge-command.ts';
import {
  type ClientContext,
  EXIT_CODES_HELP,
  runClientCommand,
  SERVER_HELP,
  SERVER_OPTIONS,
} from '../client-command.ts';
import { parse } from '../command.ts';

const HELP = `Usage: mynah mcp [option…]

Serves the tools speak, transcribe, list_voices and clone_voice over the Model Context Protocol. They use a Mynah
server: that of --server, else one that runs on this machine.

Without --http the protocol runs over standard input and output, and the tools can read and write files and play audio.
With --http it runs over streamable HTTP at /mcp; clients send their own API key as a bearer token, and the tools have
no access to files.

  --http           Serve streamable HTTP.
  --host ADDRESS   With --http: address to listen on. Default: 127.0.0.1.
  --port PORT      With --http. Default: 8090.
${SERVER_HELP}

${EXIT_CODES_HELP}
`;

const DEFAULT_PORT = 8090;

/** Runs `mynah mcp …` until its input ends or it is interrupted, and returns the exit status. */
export function runMcpCommand(args: string[], context: ClientContext): Promise<number> {
  return runClientCommand(args, context, { help: HELP, run });
}

async function run(args: string[], context: ClientContext): Promise<number> {
  const { values } = parse(args, {
    http: { type: 'boolean' },
    ...LISTEN_OPTIONS,
    ...SERVER_OPTIONS,
  });
  const address = await requireServer(values, context);
  if (!values.http) return serveStdio(new Mynah({ ...address }), context);
  const { startMcpHttpServer } = await import('../../mcp/http-server.ts');
  const listen = parseListenAddress(values, DEFAULT_PORT);
  const server = await startMcpHttpServer({
    ...listen,
    baseUrl: address.baseUrl,
    logger: createLogger(context.config),
  });
  return serveUntilInterrupted(server, (authority) => `MCP: http://${authority}/mcp`, {
    host: listen.host,
    context,
  });
}

async function serveStdio(client: Mynah, { stdin, stdout, signal }: ClientContext): Promise<number> {
  const [{ StdioServerTransport }, { createMcpServer }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/stdio.js'),
    import('../../mcp/mcp-server.ts'),
  ]);
  const server = createMcpServer({ client, isLocal: true });
  // Standard output is a stream of this process; its type here allows test doubles.
  const transport = new StdioServerTransport(stdin, stdout as NodeJS.WriteStream);
  await server.connect(transport);
  const ended = once(stdin, 'end', { signal }).catch(() => {});
  await ended;
  await server.close();
  return 0;
}
