// The lanes of `npm test`: which compiled test file runs in which lane, and what each lane needs.
import { relative, sep } from 'node:path';

/**
 * Files of a lane run side by side if `parallel` is set. Those of the console do not: with two browsers on two cores its
 * pages exceed their timeouts. `memoryGb` is the peak of one file with its server, worker processes and browser,
 * `fileSeconds` the duration of a file that has none in test-durations.json.
 */
export const LANES = {
  unit: { about: 'pure code, many files in one process', parallel: true, memoryGb: 1, fileSeconds: 20 },
  http: {
    about: 'the API over a real server and database, with scripted engines',
    parallel: true,
    memoryGb: 1,
    fileSeconds: 4,
  },
  engines: {
    about: 'real models in real worker processes',
    parallel: true,
    memoryGb: 3,
    fileSeconds: 15,
    needsModels: true,
  },
  clients: {
    about: 'client libraries, other projects’ clients, examples, a browser',
    parallel: true,
    memoryGb: 3,
    fileSeconds: 20,
    needsModels: true,
  },
  console: {
    about: 'the web console in a browser, with real models',
    memoryGb: 3,
    fileSeconds: 40,
    needsModels: true,
  },
  soak: {
    about: 'ledger under random interleavings and kills',
    parallel: true,
    memoryGb: 1,
    fileSeconds: 30,
  },
};

/**
 * Groups of files that share processes, with their number of processes: all files of a lane, those of one folder of it,
 * or those that end in `.engine-test.ts`, which load the same models (`useSpeechHost`). A process per file would load the server for two seconds of CPU time each; one process for all would leave other
 * cores idle. The files of a folder `shared-server` use one server with real models (`useRealServer`).
 */
export const GROUPS = {
  unit: 4,
  http: 4,
  console: 1,
  'engine-tests': 1,
  'engines/shared-server': 1,
  'clients/shared-server': 1,
};

/** The group of a compiled test file of a lane; undefined for a file with its own process. */
export function groupOf({ lane, file }) {
  if (file.endsWith('.engine-test.js')) return 'engine-tests';
  const folder = `${lane}/${file.split(sep).at(-2)}`;
  return [folder, lane].find((group) => group in GROUPS);
}

const FOLDER_LANES = { http: 'http', cli: 'http', engines: 'engines', clients: 'clients', soak: 'soak' };

/** The lane of a compiled test file; undefined for every other file. */
export function laneOf(path, serverDist) {
  const parts = relative(serverDist, path).split(sep);
  if (path.endsWith('.test.mjs')) return 'console';
  if (path.endsWith('.engine-test.js')) return 'engines';
  if (!path.endsWith('.test.js')) return undefined;
  return parts[0] === 'test' ? (FOLDER_LANES[parts[1]] ?? 'unit') : 'unit';
}

/** Selections of `npm test -- --set NAME`: complete lanes, and single files of others. */
export const SETS = {
  /**
   * What runs on the versions of Node that do not run the complete suite. The files cover the parts of Node that differ
   * between versions: HTTP parsing and bodies, streams and backpressure, WebSockets, SQLite, child processes, arguments.
   */
  'node-versions': {
    lanes: ['unit'],
    /** Tests of the source tree, which is the same on every version. */
    exceptFolders: ['test/structure/'],
    files: [
      'test/cli/accounts.test.js',
      'test/cli/relaunch.test.js',
      'test/http/transcription/asr-live.test.js',
      'test/http/transcription/asr.test.js',
      'test/http/requests/bodies.test.js',
      'test/http/requests/browser-sockets.test.js',
      'test/http/accounts/idempotency.test.js',
      'test/http/requests/odd-requests.test.js',
      'test/http/speech/slow-readers.test.js',
      'test/http/speech/speech.test.js',
      'test/http/speech/streaming.test.js',
      'test/http/voices/voice-uploads.test.js',
    ],
  },
};
