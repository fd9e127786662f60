import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';

/**
 * Preloaded into a process of a cluster in slow motion (`node --import`): clocks and timers of JavaScript are slower than real
 * time by a factor, so that the process cannot tell the difference to a faster machine. Timers of Node itself, such as those
 * of idle connections, are not.
 */

const FACTOR = Number(process.env.SLOW_CLOCK_FACTOR);
const FROM_MS = Number(process.env.SLOW_CLOCK_FROM_MS);
const TIMER_MAX_MS = 2 ** 31 - 1;

const dateNow = Date.now;
const performanceNow = performance.now.bind(performance);

const slowNow = () => Math.floor(FROM_MS + (dateNow() - FROM_MS) / FACTOR);

/** Timers of at most 1 ms only leave the current turn of the event loop. */
function slowDelay(delayMs: number | undefined): number | undefined {
  return delayMs === undefined || !(delayMs > 1) ? delayMs : Math.min(delayMs * FACTOR, TIMER_MAX_MS);
}

globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [slowNow()] : args, newTarget),
});
Date.now = slowNow;
performance.now = () => performanceNow() / FACTOR;
AbortSignal.timeout = new Proxy(AbortSignal.timeout, {
  apply: (target, self, [delayMs]) => Reflect.apply(target, self, [slowDelay(delayMs)]),
});

/** A timer function whose delay is the argument at `position`. */
function slowTimer<Timer extends (...args: never[]) => unknown>(timer: Timer, position: number): Timer {
  return new Proxy(timer, {
    apply(target, self, args: (number | undefined)[]) {
      const slowed = [...args];
      slowed[position] = slowDelay(args[position]);
      return Reflect.apply(target, self, slowed);
    },
  });
}

for (const owner of [timers, globalThis]) {
  owner.setTimeout = slowTimer(owner.setTimeout, 1);
  owner.setInterval = slowTimer(owner.setInterval, 1);
}
timersPromises.setTimeout = slowTimer(timersPromises.setTimeout, 0);
timersPromises.setInterval = slowTimer(timersPromises.setInterval, 0);
timersPromises.scheduler.wait = slowTimer(timersPromises.scheduler.wait, 0);
syncBuiltinESMExports();
