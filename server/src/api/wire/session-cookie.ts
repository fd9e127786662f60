/** Over HTTPS the name has the prefix that makes browsers insist on `Secure`, `Path=/` and no `Domain`. */
const SECURE_NAME = '__Host-mynah-session';
/** Browsers reject the prefix on plain HTTP. */
const PLAIN_NAME = 'mynah-session';

/** The session token in a `Cookie` header. The name with the prefix takes precedence. */
export function sessionTokenOf(cookie: string | undefined): string | undefined {
  const pairs = new Map(
    (cookie ?? '').split(';').map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const;
    }),
  );
  return pairs.get(SECURE_NAME) ?? pairs.get(PLAIN_NAME);
}

/**
 * The `Set-Cookie` header for a token. The cookie is secure when the page that logs in was loaded over HTTPS;
 * its `Origin` says so behind a proxy that terminates TLS, too.
 */
export function sessionCookie(
  token: string,
  options: { readonly origin: string | undefined; readonly maxAgeSeconds: number },
): string {
  const isSecure = options.origin?.startsWith('https://') ?? false;
  const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${Math.max(0, Math.floor(options.maxAgeSeconds))}`;
  return isSecure
    ? `${SECURE_NAME}=${token}; Secure; ${attributes}`
    : `${PLAIN_NAME}=${token}; ${attributes}`;
}

/** `Set-Cookie` headers that remove the cookie under both names. */
export function expiredSessionCookies(): string[] {
  const attributes = 'Path=/; HttpOnly; SameSite=Lax; Max-Age=0';
  return [`${SECURE_NAME}=; Secure; ${attributes}`, `${PLAIN_NAME}=; ${attributes}`];
}
