// The first day of a newcomer in a fresh clone of the last commit with an empty home folder: start, speak, stop, restart
// without a network, command line from another folder, backup and restore, uninstall. As root, all of it runs as nobody.
//
//   node scripts/newcomer.mjs            packages and models come from the package registry, and the clone is built
//   node scripts/newcomer.mjs --reuse    packages, build and model files come from this tree and its models folder
import { parseArgs } from 'node:util';
import { Newcomer } from './newcomer/newcomer.mjs';
import { STEPS } from './newcomer/steps.mjs';

const { reuse } = parseArgs({ options: { reuse: { type: 'boolean', default: false } } }).values;
const startMs = Date.now();
const newcomer = await Newcomer.create({ reuse });
try {
  for (const [title, step] of STEPS) {
    const note = await step(newcomer);
    const seconds = ((Date.now() - startMs) / 1000).toFixed(0).padStart(4);
    console.log(`${seconds} s  ${title}${note ? ` (${note})` : ''}`);
  }
} finally {
  await newcomer.clear();
}
