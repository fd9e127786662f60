// `npm run bench`: everything a fresh clone needs, then the benchmark. It runs in this very process, so that a
// signal reaches it once and nothing is left behind.

import { DIST, setUp } from './setup.mjs';

await setUp();
const { main } = await import(`file://${DIST}/bench/main.js`);
process.exitCode = await main(process.argv.slice(2), process.env);
