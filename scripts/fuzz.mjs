// `npm run fuzz`: hostile requests against a real server. Options: `npm run fuzz -- --help`.

import { DIST, setUp } from './setup.mjs';

await setUp();
const { main } = await import(`file://${DIST}/fuzz/main.js`);
process.exitCode = await main(process.argv.slice(2));
