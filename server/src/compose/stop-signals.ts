/**
 * Signals within this time count as one. A Ctrl-C arrives several times: from the terminal, from npm and from
 * `scripts/relaunch.mjs`. A user needs longer for a second one.
 */
const REPEAT_MS = 500;

/** Exit status of a process that was interrupted. */
const INTERRUPTED = 130;

/**
 * Handles SIGINT, SIGTERM and SIGHUP. The first signal runs the function given to `onStop` and exits. A second one exits
 * at once, and so does the first before `onStop` was called.
 */
export function stopOnSignals(): { onStop(stop: () => Promise<void>): void } {
  let stop: (() => Promise<void>) | undefined;
  let signalledAtMs = Number.NEGATIVE_INFINITY;
  let isStopping = false;

  function onSignal(): void {
    const nowMs = Date.now();
    if (nowMs - signalledAtMs < REPEAT_MS) return;
    signalledAtMs = nowMs;
    if (isStopping || stop === undefined) process.exit(INTERRUPTED);
    isStopping = true;
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`The server did not stop cleanly: ${error}\n`);
        process.exit(1);
      },
    );
  }

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  return {
    onStop(given) {
      stop = given;
    },
  };
}
