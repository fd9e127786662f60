// The launcher of the server's package, for the scripts of a clone.
export {
  isRelaunched,
  relaunchWithFlags,
  relaunchWithServerFlags,
  stopWithShell,
} from '../server/bin/relaunch.mjs';
