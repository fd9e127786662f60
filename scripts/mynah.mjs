// `npm run mynah -- …`: the command line, from a clone.

import { relaunchWithServerFlags } from './relaunch.mjs';
import { DIST, setUp } from './setup.mjs';

await setUp();
await relaunchWithServerFlags();
const { runCommandLine } = await import(`file://${DIST}/src/cli/main.js`);
process.exitCode = await runCommandLine(process.argv.slice(2), process.env);
