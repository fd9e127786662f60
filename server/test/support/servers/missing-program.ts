import type { TestContext } from 'node:test';

/** Programs that tests need and a developer's machine may lack, with the variable by which CI requires them. */
const REQUIRED_BY = {
  python: 'MYNAH_TEST_PYTHON',
  browser: 'MYNAH_TEST_BROWSER',
  clients: 'MYNAH_TEST_CLIENTS',
  postgres: 'MYNAH_TEST_POSTGRES',
  prometheus: 'MYNAH_TEST_PROMETHEUS',
  proxies: 'MYNAH_TEST_PROXIES',
  s3: 'MYNAH_TEST_S3',
  nats: 'MYNAH_TEST_NATS',
} as const;

/** Skips a test because of a missing program, or fails it where CI requires the program. */
export function skipWithout(program: keyof typeof REQUIRED_BY, context: TestContext, reason: string): void {
  if (process.env[REQUIRED_BY[program]] !== undefined) throw new Error(reason);
  context.skip(reason);
}
