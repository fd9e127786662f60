// Tests of the HTTP lane that `MYNAH_TEST_CLUSTER=1` skips, or runs against one of the gateways, because they look at the
// inside of a single server.

/** Tests that are skipped: patterns of titles, by file in `server/test/http`. */
const SKIPPED = [
  {
    reason: 'is about the SQLite file; a test of its own searches database, bucket and copies of a cluster',
    tests: { 'accounts/account-deletion': /^SQLite: nothing of a deleted account/ },
  },
  {
    reason: 'fills the disk of the SQLite file',
    tests: { 'operations/storage-faults': /^a full disk: 503 and a degraded state/ },
  },
  {
    reason: 'puts an obstacle into the data folder, and a cluster stores books in a bucket',
    tests: { 'speech/audiobook-billing': /^a book whose sections cannot be written waits for the disk/ },
  },
];

/** Tests whose requests all go to one gateway of the cluster. */
const ON_ONE_GATEWAY = [
  {
    reason: 'two requests compete for a resource of one process: memory of bodies, FFmpeg processes',
    tests: {
      'requests/bodies': /^large bodies above the memory limit are rejected until another request is/,
      'compat/chat-bodies': /^a text that is being received counts towards the bodies in memory$/,
      'compat/openai-aac': /^a request that gets no FFmpeg process in time is refused with queue_full$/,
    },
  },
  {
    reason: 'counts the clones of references in requests, which each process caches for itself',
    tests: { 'voices/voice-library': /^references in a request are cloned once per transcript and used/ },
  },
  {
    reason: 'opens a login link, which a process prints at its start with its own address',
    tests: { 'accounts/console-sessions': /^a login link works once$/ },
  },
];

/** Whether a test with this title is skipped. */
export function isSkipped(title) {
  return isListed(SKIPPED, title);
}

/** Whether the requests of a test with this title go to one gateway. */
export function isOnOneGateway(title) {
  return isListed(ON_ONE_GATEWAY, title);
}

function isListed(list, title) {
  return list.some(({ tests }) => Object.values(tests).some((pattern) => pattern.test(title)));
}
