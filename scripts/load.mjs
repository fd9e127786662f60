// `npm run load`: crowds of listeners, and what each of them would have heard.

import { DIST, setUp } from './setup.mjs';

await setUp();
const { main } = await import(`file://${DIST}/bench/load.js`);
process.exitCode = await main(process.argv.slice(2), process.env);
