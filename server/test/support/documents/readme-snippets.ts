import { readFile } from 'node:fs/promises';

/** The code blocks of a language in a Markdown file, in order. */
export async function readSnippets(path: string, language: string): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8');
  const blocks = text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'));
  return [...blocks].map((match) => match[1]!);
}
