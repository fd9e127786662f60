// The lanes of `npm test`: which compiled test file runs in which lane, and what each lane needs.
import { relative, sep } from 'node:path';

/**
 * Lanes run side by side. Files of one lane run one after the other unless `parallel` is set, because they share
 * something: the CPU that engines are timed on, or a folder of packages fetched for clients.
 */
export const LANES = {
  unit: { about: 'pure code, in one process' },
  http: { about: 'the API over a real server and database, with scripted engines', parallel: true },
  engines: { about: 'real models in real worker processes', needsModels: true },
  clients: { about: 'client libraries, other projects’ clients, examples, a browser', needsModels: true },
  console: { about: 'the web console in a browser, with real models', needsModels: true },
  soak: { about: 'ledger under random interleavings and kills' },
};

const FOLDER_LANES = { http: 'http', cli: 'http', engines: 'engines', clients: 'clients', soak: 'soak' };

/** The lane of a compiled test file; undefined for every other file. */
export function laneOf(path, serverDist) {
  const parts = relative(serverDist, path).split(sep);
  if (path.endsWith('.test.mjs')) return 'console';
  if (path.endsWith('.engine-test.js')) return 'engines';
  if (!path.endsWith('.test.js')) return undefined;
  return parts[0] === 'test' ? (FOLDER_LANES[parts[1]] ?? 'unit') : 'unit';
}
