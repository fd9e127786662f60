import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Findings } from './findings.ts';
import { acceptedReason, parseDeviations } from './schemathesis-deviations.ts';

const VENV = join(homedir(), '.cache/mynah/fuzz/venv');
const PROGRAM = join(VENV, 'bin/schemathesis');
/** Pinned: another version has other checks. */
const PACKAGE = 'schemathesis==4.32.5';
const EXAMPLES_PER_MINUTE = 5;

export type SchemathesisReport =
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'run'; readonly summary: string };

/** Runs Schemathesis over the OpenAPI document, with all checks. */
export async function runSchemathesis(options: {
  readonly url: string;
  readonly key: string;
  readonly seed: number;
  readonly minutes: number;
  readonly phases: readonly string[];
  readonly findings: Findings;
}): Promise<SchemathesisReport> {
  const reason = installWhenMissing();
  if (reason !== undefined) return { kind: 'skipped', reason };
  const { url, key, seed, minutes, phases, findings } = options;
  const args = [
    ...['run', `${url}/openapi.json`, '--seed', String(seed), '--checks', 'all', '--workers', '1'],
    ...['--header', `Authorization: Bearer ${key}`, '--request-timeout', '60', '--no-color'],
    ...['--max-examples', String(Math.max(1, Math.round(minutes * EXAMPLES_PER_MINUTE)))],
    // Would delete the accounts and keys of the run.
    ...['--exclude-method', 'DELETE', '--exclude-path-regex', '^/v1/admin'],
    ...['--phases', phases.join(), '--suppress-health-check', 'all'],
  ];
  const { output, status } = await runFor(PROGRAM, args, minutes * 60_000);
  const path = findings.store('schemathesis.txt', output);
  const deviations = parseDeviations(output);
  const defects = deviations.filter((deviation) => acceptedReason(deviation) === undefined);
  for (const { operation, check, text } of defects) {
    findings.add({
      kind: 'schemathesis',
      signature: `schemathesis: ${operation} ${check}`,
      message: `${operation}: ${check} ${text.replaceAll(/\s+/g, ' ').slice(0, 400)}`,
      reproduction: `see ${path}`,
    });
  }
  const accepted = `${deviations.length - defects.length} accepted deviations`;
  return {
    kind: 'run',
    summary: `${summaryOf(output)}; ${accepted} (exit status ${status ?? 'time limit'}); ${path}`,
  };
}

/** Creates the virtual environment. Returns the reason when it is not possible. */
function installWhenMissing(): string | undefined {
  if (existsSync(PROGRAM)) return undefined;
  mkdirSync(VENV, { recursive: true });
  const steps: readonly (readonly [string, readonly string[]])[] = [
    ['python3', ['-m', 'venv', VENV]],
    [join(VENV, 'bin/pip'), ['install', '--quiet', PACKAGE]],
  ];
  for (const [command, args] of steps) {
    const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8' });
    if (status !== 0)
      return `${command} ${args.join(' ')}: ${error?.message ?? stderr.trim().split('\n').at(-1)}`;
  }
  return undefined;
}

function runFor(command: string, args: readonly string[], timeoutMs: number) {
  return new Promise<{ output: string; status: number | null }>((resolve) => {
    // Schemathesis reports its failures after SIGINT, not after SIGTERM.
    const child = spawn(command, args, {
      cwd: VENV, // It writes a folder of its own.
      timeout: timeoutMs,
      killSignal: 'SIGINT',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    child.on('close', (status) => resolve({ output, status }));
  });
}

function summaryOf(output: string): string {
  return output
    .split('\n')
    .filter((line) => /\d+ (passed|failed|generated|unique|errors?)|Test cases/i.test(line))
    .slice(-4)
    .join(' ')
    .trim();
}
