// `npm start`: installs and builds what a fresh clone lacks, then runs the server. Its process starts before the check of the
// build, and waits for the result.

import { isRelaunched, relaunchAhead, relaunchWithServerFlags, untilReleased } from './relaunch.mjs';
import { assertNodeVersion, DIST, isSetUp, setUp } from './setup.mjs';

const MAIN = `file://${DIST}/bundle/main.js`;

if (isRelaunched()) {
  // Errors surface below.
  import(MAIN).catch(() => {});
  await untilReleased();
} else {
  assertNodeVersion();
  const ahead = await relaunchAhead();
  if (ahead !== undefined && isSetUp()) await ahead.release();
  ahead?.discard();
  await setUp();
}
await relaunchWithServerFlags();
const { main } = await import(MAIN);
await main(process.argv.slice(2), process.env);
