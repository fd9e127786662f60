// `npm run watermark-alarms`: the measured rate of false alarms of the watermark detector, next to its bound.

import { DIST, setUp } from './setup.mjs';

await setUp();
const { main } = await import(`file://${DIST}/bench/watermark-alarms.js`);
process.exitCode = await main(process.argv.slice(2));
