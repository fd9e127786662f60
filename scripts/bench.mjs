// `npm run bench`: installs and builds what a fresh clone lacks, then runs the benchmark.

import { relaunchWithServerFlags } from './relaunch.mjs';
import { DIST, setUp } from './setup.mjs';

await setUp();
await relaunchWithServerFlags();
const { main } = await import(`file://${DIST}/bench/main.js`);
process.exitCode = await main(process.argv.slice(2), process.env);
