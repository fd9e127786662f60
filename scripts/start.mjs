// `npm start`: installs and builds what a fresh clone lacks, then runs the server.

import { isRelaunched, relaunchWithServerFlags } from './relaunch.mjs';
import { DIST, setUp } from './setup.mjs';

if (!isRelaunched()) await setUp();
await relaunchWithServerFlags();
const { main } = await import(`file://${DIST}/bundle/main.js`);
await main(process.argv.slice(2), process.env);
