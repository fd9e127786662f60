/**
 * Whether a page of this origin may open a WebSocket. Programs that are not browsers send no origin. Browsers apply no
 * CORS to WebSockets, so the server must check.
 */
export function isAllowedOrigin(
  origin: string | undefined,
  { host, allowed }: { readonly host: string; readonly allowed: readonly string[] },
): boolean {
  if (origin === undefined || allowed.includes('*') || allowed.includes(origin)) return true;
  // `URL.host` omits a default port, as `Host` does.
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
