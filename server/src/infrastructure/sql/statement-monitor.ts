import { isTracing, traced, tracedSync } from '../../tracing/tracing.ts';

/** Measures the statements of one database. Spans name the kind of a statement; neither its text nor its parameters. */
export class StatementMonitor {
  /** Called with the duration of each statement. */
  onStatement: ((seconds: number) => void) | undefined;
  readonly #system: 'sqlite' | 'postgresql';

  constructor(system: 'sqlite' | 'postgresql') {
    this.#system = system;
  }

  run<Result>(statement: string, work: () => Result): Result {
    const startedAtMs = performance.now();
    try {
      return isTracing() ? tracedSync('database', work, this.#attributes(statement)) : work();
    } finally {
      this.onStatement?.((performance.now() - startedAtMs) / 1000);
    }
  }

  async runAsync<Result>(statement: string, work: () => Promise<Result>): Promise<Result> {
    const startedAtMs = performance.now();
    try {
      return await (isTracing() ? traced('database', work, this.#attributes(statement)) : work());
    } finally {
      this.onStatement?.((performance.now() - startedAtMs) / 1000);
    }
  }

  #attributes(statement: string) {
    const [operation = ''] = statement.trimStart().split(/\s/, 1);
    return { 'db.system.name': this.#system, 'db.operation.name': operation.toLowerCase() };
  }
}
