// Tests of the HTTP lane that `MYNAH_TEST_CLUSTER=1` skips, because they look at the inside of a single server.

/** Patterns of titles, by file in `server/test/http`. */
export const CLUSTER_EXCEPTIONS = [
  {
    reason: 'opens the SQLite file of the server',
    tests: {
      'accounts/account-deletion':
        /^(SQLite: nothing of a deleted account|a voice whose creation is in progress during the deletion)/,
      'accounts/idempotent-creations':
        /although the first process did not finish the request$|^a key whose secret was lost with its process/,
      'accounts/key-revocation': /: revoking a key in another process closes its sockets$/,
      'accounts/key-watch': /: a stream ends when its key is revoked in another process$/,
      'transcription/transcription-free-rides':
        /that is deleted after the death of its server costs its text$/,
    },
  },
  {
    reason:
      'counts what each gateway limits for itself: failed logins, first audio, FFmpeg processes, memory',
    tests: {
      'accounts/console-sessions': /^after too many failed logins an address is refused/,
      'accounts/limits': /^200 requests of one account do not delay a single request of another$/,
      'requests/bodies':
        /^large bodies above the memory limit are rejected until another request is aborted$/,
      'requests/socket-budgets':
        /^(incomplete messages count: a socket whose account exceeds|the text of live speech counts towards the memory)/,
      'compat/openai-aac': /^a request that gets no FFmpeg process in time is refused with queue_full$/,
    },
  },
  {
    reason: 'looks for files in one data folder; they are in the bucket, or at the other gateway',
    tests: {
      'transcription/asr':
        /^(a stalled upload is rejected, and its file is removed|when the client disconnects, the transcription stops and)/,
      'voices/voice-library':
        /^a recording is streamed: a client that does not read it holds no copy in memory$/,
      'voices/voice-privacy': /^a deleted voice is unknown at once, in every process and on every route/,
      'speech/audiobooks':
        /^(a text becomes an MP3 with chapters and captions, and is charged|a job is deleted in any state, with its files)/,
    },
  },
  {
    reason: 'compares URLs in responses, which contain the address of the gateway that answered',
    tests: {
      'voices/voice-library': /^a voice is created, read, sampled, changed and deleted with its files$/,
      'voices/voices': /^a voice is found by its id, its name and its title, and is usable by its id$/,
    },
  },
  {
    reason: 'fills the disk of the SQLite file',
    tests: { 'operations/storage-faults': /^a full disk: 503 and a degraded state/ },
  },
  {
    reason: 'reads the wallet at once: with PostgreSQL the settlement follows the last byte by milliseconds',
    tests: {
      'compat/fish-audio-asr':
        /^(the official client gets words with times and is charged|a recording that cannot be transcribed costs)/,
    },
  },
];

/** Whether a test with this title is skipped. */
export function isException(title) {
  return CLUSTER_EXCEPTIONS.some(({ tests }) => Object.values(tests).some((pattern) => pattern.test(title)));
}
