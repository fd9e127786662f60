/** npm passes a Ctrl-C on although the terminal has sent it already; a person needs longer for a second one. */
const REPEAT_MS = 500;

/** Exit status of a process that was interrupted. */
const INTERRUPTED = 130;

/**
 * Handles Ctrl-C and requests to stop. The first runs what was given to `onStop` and exits; a second exits at
 * once, and so does the first while there is nothing to stop yet.
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
