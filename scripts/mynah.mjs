// `npm run mynah -- …`: the command line, from a clone. Relative paths are resolved in the folder of the caller, which npm
// passes in INIT_CWD.

import { relaunchWithServerFlags, stopWithShell } from './relaunch.mjs';
import { DIST, setUp } from './setup.mjs';

await setUp();
stopWithShell();
await relaunchWithServerFlags();
if (process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
const { runCommandLine } = await import(`file://${DIST}/bundle/cli.js`);
process.exitCode = await runCommandLine(process.argv.slice(2), process.env);
