import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a browser sent the request from a page of this server. `Sec-Fetch-Site` decides where the browser sends it
 * (HTTPS and localhost). On plain HTTP in a local network it does not: there the `Origin`, or for GET requests the
 * `Referer`, must name this host.
 */
export function isSameOrigin(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const from = headers.origin ?? headers.referer;
  return from !== undefined && headers.host !== undefined && hostOf(from) === headers.host.toLowerCase();
}

/** Whether a browser says that another site sent the request. False for programs that are not browsers. */
export function isCrossSite(headers: IncomingHttpHeaders): boolean {
  const isBrowser = headers['sec-fetch-site'] !== undefined || headers.origin !== undefined;
  return isBrowser && !isSameOrigin(headers);
}

function hostOf(url: string): string | undefined {
  // `URL.host` omits a default port, as `Host` does.
  return URL.canParse(url) ? new URL(url).host : undefined;
}
