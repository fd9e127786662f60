#!/usr/bin/env node
// The command `mynah`. In a clone it brings the build up to date first; an installed package is already built.
import { existsSync } from 'node:fs';

const script = new URL('../../scripts/mynah.mjs', import.meta.url);
if (existsSync(script)) await import(script.href);
else {
  const { relaunchWithServerFlags, stopWithShell } = await import('./relaunch.mjs');
  stopWithShell();
  if (['serve', 'worker'].includes(process.argv[2])) await relaunchWithServerFlags();
  const { runCommandLine } = await import('../dist/bundle/cli.js');
  process.exitCode = await runCommandLine(process.argv.slice(2), process.env);
}
