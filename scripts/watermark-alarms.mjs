// `npm run watermark-alarms`: how often sound without a watermark is taken for marked, beside how often it may be.

import { DIST, setUp } from './setup.mjs';

await setUp();
const { main } = await import(`file://${DIST}/bench/watermark-alarms.js`);
process.exitCode = await main(process.argv.slice(2));
