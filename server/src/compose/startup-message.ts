import { relative } from 'node:path';
import { VERSION } from '../config/package-info.ts';

export interface GreetingInput {
  readonly url: string;
  readonly firstKey: string | undefined;
  readonly firstKeyFile: string | undefined;
}

/** What is printed once the server listens: where it is, the first key, and a command that makes sound. */
export function greeting({ url, firstKey, firstKeyFile }: GreetingInput): string {
  const file = firstKeyFile && quote(shortest(firstKeyFile));
  const key = firstKey ?? (file === undefined ? 'YOUR_KEY' : `$(cat ${file})`);
  const keyLines =
    firstKey === undefined
      ? []
      : ['', `Your API key, shown only this once and kept in ${file}:`, '', `  ${firstKey}`];
  return `${[
    `Mynah ${VERSION} listens on ${url}. The API reference is at ${url}/docs.`,
    ...keyLines,
    '',
    'Make it speak:',
    '',
    `  curl -fsS ${url}/v1/tts -H "Authorization: Bearer ${key}" -H "model: s1" \\`,
    `    -H "Content-Type: application/json" --output hello.mp3 \\`,
    `    -d '{"text": "Hello! I speak on your own machine, and I am glad to meet you."}'`,
    '',
  ].join('\n')}\n`;
}

function shortest(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere.length < path.length ? fromHere : path;
}

function quote(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
