import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

/** Operations that our libraries leave to others, and why. */
const OTHERS: Readonly<Record<string, string>> = {
  postHealth: 'the same as getHealth, for clients that post',
  getReadiness: 'for load balancers; getHealth tells it too',
};
/** Routes that exist for the libraries of others: OpenAI's, ElevenLabs', fish-speech's. */
const OTHERS_PATHS = /^\/(compat|v1\/(audio|models|references|text-to-speech|voices))\b/;

/** One operation of the server's OpenAPI file. */
export interface ApiOperation {
  readonly id: string;
  readonly method: string;
  /** A regular expression for its path. */
  readonly pattern: string;
  /** Whether our own libraries have to reach it. */
  readonly isForUs: boolean;
}

/** All operations of the server. Fails when the list of exceptions names one that is gone. */
export async function apiOperations(): Promise<readonly ApiOperation[]> {
  const text = await readFile(new URL('../../../openapi.json', import.meta.url), 'utf8');
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, { operationId: string }>> };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: id }]) => ({
      id,
      method: method.toUpperCase(),
      pattern: `^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`,
      isForUs: !(id in OTHERS) && !OTHERS_PATHS.test(path),
    })),
  );
  for (const id of Object.keys(OTHERS)) {
    assert.ok(
      operations.some((operation) => operation.id === id),
      `${id} is gone`,
    );
  }
  return operations;
}
