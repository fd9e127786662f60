// The launcher of the server's package, for the scripts of a clone.
export {
  isRelaunched,
  relaunchAhead,
  relaunchWithFlags,
  relaunchWithServerFlags,
  stopWithShell,
  untilReleased,
} from '../server/bin/relaunch.mjs';
