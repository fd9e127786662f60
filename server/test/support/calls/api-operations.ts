import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

const COOKIE_SESSION = 'a session of the web console is a cookie, so only the TypeScript library has it';
const OPERATORS_CONSOLE =
  'for the web console, so only the TypeScript library has it; `mynah models` does the same';
const OWN_KEYS = 'for the web console, so only the TypeScript library has it';

/** Operations that the client libraries do not cover, with the reason. */
const NOT_COVERED: Readonly<Record<string, string>> = {
  postHealth: 'same as getHealth, for clients that send POST',
  getReadiness: 'for load balancers; getHealth has the same information',
  getLiveness: 'a probe for orchestrators',
  getReadyz: 'a probe for orchestrators; getHealth has the same information',
  adminGetStatus: OPERATORS_CONSOLE,
  adminListModels: OPERATORS_CONSOLE,
  adminPullModel: OPERATORS_CONSOLE,
  adminVerifyModel: OPERATORS_CONSOLE,
  listKeys: OWN_KEYS,
  createKey: OWN_KEYS,
  rotateKey: OWN_KEYS,
  revokeKey: OWN_KEYS,
  openSession: COOKIE_SESSION,
  getConsoleState: COOKIE_SESSION,
  closeSession: COOKIE_SESSION,
  listSessions: COOKIE_SESSION,
  revokeSession: COOKIE_SESSION,
};
/** Compatibility routes for third-party clients: OpenAI, ElevenLabs, fish-speech. */
const COMPAT_PATHS = /^\/(compat|v1\/(audio|models|references|text-to-speech|voices))\b/;

/** One operation of the server's OpenAPI file. */
export interface ApiOperation {
  readonly id: string;
  readonly method: string;
  /** A regular expression that matches its path. */
  readonly pattern: string;
  /** Whether the client libraries must cover it. */
  readonly isInLibraries: boolean;
}

/** All operations of the server. Fails when `NOT_COVERED` names an operation that does not exist. */
export async function apiOperations(): Promise<readonly ApiOperation[]> {
  const text = await readFile(new URL('../../../../openapi.json', import.meta.url), 'utf8');
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, { operationId: string }>> };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: id }]) => ({
      id,
      method: method.toUpperCase(),
      pattern: `^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`,
      isInLibraries: !(id in NOT_COVERED) && !COMPAT_PATHS.test(path),
    })),
  );
  for (const id of Object.keys(NOT_COVERED)) {
    assert.ok(
      operations.some((operation) => operation.id === id),
      `${id} does not exist`,
    );
  }
  return operations;
}
