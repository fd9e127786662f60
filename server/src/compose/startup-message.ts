import { relative } from 'node:path';
import { VERSION } from '../config/package-info.ts';

export interface StartupMessageInput {
  readonly url: string;
  readonly firstKey: string | undefined;
  readonly firstKeyFile: string | undefined;
  /** Path of the link that logs in to the web console. */
  readonly loginPath?: string | undefined;
}

/** The message printed at start: address, first key, and an example request. */
export function formatStartupMessage({
  url,
  firstKey,
  firstKeyFile,
  loginPath,
}: StartupMessageInput): string {
  const file = firstKeyFile && quote(shortestPath(firstKeyFile));
  const key = firstKey ?? (file === undefined ? 'YOUR_KEY' : `$(cat ${file})`);
  const keyLines =
    firstKey === undefined
      ? []
      : ['', `Your API key, shown only once and stored in ${file}:`, '', `  ${firstKey}`];
  return `${[
    `Mynah ${VERSION} listens on ${url}. The API reference is at ${url}/docs.`,
    ...(loginPath === undefined
      ? []
      : ['', 'Open the console with this link; it works once, for an hour:', '', `  ${url}${loginPath}`]),
    ...keyLines,
    '',
    'Example request:',
    '',
    `  curl --fail-with-body -sS ${url}/v1/tts -H "Authorization: Bearer ${key}" -H "model: s1" \\`,
    `    -H "Content-Type: application/json" --output hello.mp3 \\`,
    `    -d '{"text": "Hello! I speak on your own machine, and I am glad to meet you."}'`,
    '',
  ].join('\n')}\n`;
}

function shortestPath(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere.length < path.length ? fromHere : path;
}

function quote(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
