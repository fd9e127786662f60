// `npm run measure-cluster`: faults, scaling, upgrades and memory of a cluster (docs/design/cluster-faults.md).

import { DIST, setUp } from './setup.mjs';

await setUp();
const { main } = await import(`file://${DIST}/bench/cluster/main.js`);
process.exit(await main(process.argv.slice(2)));
