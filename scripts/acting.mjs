// `npm run acting`: what the cues do to the voices, measured, beside what the cue table states.

import { DIST, setUp } from './setup.mjs';

await setUp();
const { main } = await import(`file://${DIST}/bench/acting.js`);
process.exitCode = await main(process.argv.slice(2), process.env);
