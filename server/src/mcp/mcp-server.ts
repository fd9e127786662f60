import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { VERSION } from '../config/package-info.ts';
import { addTools, type ToolOptions } from './tools.ts';

/** A server with all tools, for one connection. */
export function createMcpServer(options: ToolOptions): McpServer {
  const server = new McpServer({ name: 'mynah', version: VERSION });
  addTools(server, options);
  return server;
}
