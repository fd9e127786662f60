// `npm run cluster`: a cluster on this machine, for development (docs/guides/scaling.md).

import { DIST, setUp } from './setup.mjs';

await setUp();
const { main } = await import(`file://${DIST}/test/support/cluster/run-cluster.js`);
process.exit(await main(process.argv.slice(2), process.env));
