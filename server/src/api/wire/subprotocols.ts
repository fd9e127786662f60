/**
 * Pages in browsers cannot set headers on a WebSocket. They offer the key as a subprotocol, beside one that the
 * server can answer with: `mynah` and `mynah.key.KEY`, or what OpenAI's client offers.
 */
const KEY_PREFIXES = ['mynah.key.', 'openai-insecure-api-key.'] as const;

/** The key among the subprotocols that a handshake offers. */
export function keyOffered(header: string | undefined): string | undefined {
  for (const offered of (header ?? '').split(',').map((part) => part.trim())) {
    const prefix = KEY_PREFIXES.find((known) => offered.startsWith(known));
    if (prefix !== undefined) return offered.slice(prefix.length);
  }
  return undefined;
}

/** The subprotocol to answer with: the first that is no key, for a key must not be sent back. */
export function chooseSubprotocol(offered: ReadonlySet<string>): string | false {
  const isKey = (name: string) => KEY_PREFIXES.some((prefix) => name.startsWith(prefix));
  return [...offered].find((name) => !isKey(name)) ?? false;
}
