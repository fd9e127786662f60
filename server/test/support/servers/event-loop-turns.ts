import { setImmediate as nextTurn } from 'node:timers/promises';

/** The number of turns of the event loop that are free for other work while `work` runs. */
export async function countEventLoopTurns(work: () => Promise<void>): Promise<number> {
  let turns = 0;
  let isRunning = true;
  const working = work().finally(() => {
    isRunning = false;
  });
  while (isRunning) {
    await nextTurn();
    turns++;
  }
  await working;
  return turns;
}
