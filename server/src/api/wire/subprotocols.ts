/**
 * Browsers cannot set headers on a WebSocket. They offer the key as a subprotocol, next to one that the server
 * can select: `mynah` and `mynah.key.KEY`, or the equivalents of OpenAI's client.
 */
const KEY_PREFIXES = ['mynah.key.', 'openai-insecure-api-key.'] as const;

/** The API key among the offered subprotocols. */
export function keyFromSubprotocols(header: string | undefined): string | undefined {
  for (const offered of (header ?? '').split(',').map((part) => part.trim())) {
    const prefix = KEY_PREFIXES.find((known) => offered.startsWith(known));
    if (prefix !== undefined) return offered.slice(prefix.length);
  }
  return undefined;
}

/** The selected subprotocol: the first one that is not a key, because a key must not be sent back. */
export function chooseSubprotocol(offered: ReadonlySet<string>): string | false {
  const isKey = (name: string) => KEY_PREFIXES.some((prefix) => name.startsWith(prefix));
  return [...offered].find((name) => !isKey(name)) ?? false;
}
