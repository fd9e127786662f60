// Writes the first weight changes of a cloned voice, float32:
//   node initial-changes.mjs changes.f32        (after `npm run build`)
import { writeFileSync } from 'node:fs';
import { initialWeightChanges } from '../../server/dist/src/inference/engines/kokoro/clone-vectors/weight-changes.js';

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('Usage: node initial-changes.mjs FILE');
writeFileSync(path, initialWeightChanges());
