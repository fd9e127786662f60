// `npm start`: everything a fresh clone needs, then the server. The server runs in this very process, so
// that a signal reaches it once and nothing is left behind.

import { DIST, setUp } from './setup.mjs';

await setUp();
const { main } = await import(`file://${DIST}/src/main.js`);
await main(process.argv.slice(2), process.env);
