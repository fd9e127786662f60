// `npm run acting`: measures the effect of each cue on the voices, next to the values of the cue table.

import { relaunchWithServerFlags } from './relaunch.mjs';
import { DIST, setUp } from './setup.mjs';

await setUp();
await relaunchWithServerFlags();
const { main } = await import(`file://${DIST}/bench/acting/acting.js`);
process.exitCode = await main(process.argv.slice(2), process.env);
