// `npm run load`: the load test. Many concurrent streams, and the underruns that each client would have.

import { relaunchWithServerFlags } from './relaunch.mjs';
import { DIST, setUp } from './setup.mjs';

await setUp();
await relaunchWithServerFlags();
const { main } = await import(`file://${DIST}/bench/load.js`);
process.exitCode = await main(process.argv.slice(2), process.env);
