import { fileURLToPath } from 'node:url';
import pg from 'pg';

const SLOW_CLOCK = fileURLToPath(new URL('./slow-clock-main.js', import.meta.url));

/** Clocks and timers of a cluster that run slower than real time, from the same moment on. */
export interface SlowMotion {
  readonly factor: number;
  readonly fromMs: number;
}

/** Arguments and environment of a Node process in slow motion. */
export function slowProcess({ factor, fromMs }: SlowMotion) {
  return {
    args: ['--import', SLOW_CLOCK],
    env: { SLOW_CLOCK_FACTOR: `${factor}`, SLOW_CLOCK_FROM_MS: `${fromMs}` },
  };
}

/** Slows the clock that decides about leases down, for connections that are opened from now on. */
export async function slowDatabase(address: string, { factor, fromMs }: SlowMotion): Promise<void> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    const from = `to_timestamp(${fromMs / 1000})`;
    await client.query(`create function public.clock_timestamp() returns timestamptz language sql volatile
      as $$ select ${from} + (pg_catalog.clock_timestamp() - ${from}) / ${factor} $$`);
    await client.query('alter role current_user set search_path = public, pg_catalog');
  } finally {
    await client.end();
  }
}
