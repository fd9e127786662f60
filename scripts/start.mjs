// `npm start`: installs and builds what a fresh clone lacks, then runs the server.

import { relaunchWithServerFlags } from './relaunch.mjs';
import { DIST, setUp } from './setup.mjs';

await setUp();
await relaunchWithServerFlags();
const { main } = await import(`file://${DIST}/bundle/main.js`);
await main(process.argv.slice(2), process.env);
