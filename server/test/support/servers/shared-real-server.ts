import { after, before } from 'node:test';
import { type RealServer, startRealServer } from './real-server.ts';

let shared: Promise<RealServer> | undefined;
let users = 0;

/**
 * One server for all files of a process that call this. Each calls it once, outside of any test; the value has its
 * properties when hooks and tests run. The last file stops the server. No test may stop it or kill its workers. Pages of
 * every origin may call it; sdk-browser.test allows a single one.
 */
export function useRealServer(): RealServer {
  const server: Partial<RealServer> = {};
  users++;
  before(async () => {
    shared ??= startRealServer({ env: { MYNAH_CORS_ORIGINS: '*' } });
    Object.assign(server, await shared);
  });
  after(async () => {
    if (--users > 0) return;
    const closing = shared;
    shared = undefined;
    await (await closing)?.close();
  });
  // Complete when the hook above has run, which is before every later hook and every test.
  return server as RealServer;
}
