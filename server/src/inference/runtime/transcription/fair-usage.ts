interface Account {
  seconds: number;
  readonly tasks: Map<object, { seconds: number }>;
  /** Usage of the task that ran last. */
  lastSeconds: number;
}

/** Maximum lead of an account or task that used less time than the one that ran last. Idle time gives no more credit. */
const CREDIT_SECONDS_MAX = 5;

/**
 * CPU time by account and task. The account with the least usage is first, and within it the task with the least
 * usage. A new account or task starts at the usage of the one that ran last.
 */
export class FairUsage<Task extends object> {
  readonly #accounts = new Map<string, Account>();
  readonly #accountOf: (task: Task) => string;
  /** Usage of the account that ran last. */
  #lastSeconds = 0;

  constructor(accountOf: (task: Task) => string) {
    this.#accountOf = accountOf;
  }

  add(task: Task): void {
    const id = this.#accountOf(task);
    const account = this.#accounts.get(id) ?? {
      seconds: this.#lastSeconds,
      tasks: new Map<object, { seconds: number }>(),
      lastSeconds: 0,
    };
    account.tasks.set(task, { seconds: account.lastSeconds });
    this.#accounts.set(id, account);
  }

  remove(task: Task): void {
    const id = this.#accountOf(task);
    const account = this.#accounts.get(id);
    account?.tasks.delete(task);
    if (account?.tasks.size === 0) this.#accounts.delete(id);
  }

  /** Adds CPU time that a task has used. */
  addUsage(task: Task, seconds: number): void {
    const account = this.#accounts.get(this.#accountOf(task));
    const own = account?.tasks.get(task);
    if (account === undefined || own === undefined) return;
    this.#lastSeconds = account.seconds;
    account.lastSeconds = own.seconds;
    own.seconds += seconds;
    account.seconds += seconds;
    limitCredit(account.tasks.values(), account.lastSeconds);
    limitCredit(this.#accounts.values(), this.#lastSeconds);
  }

  /** The first of the tasks; of equal ones, the one that is listed first. */
  first<Entry extends { readonly task: Task }>(entries: readonly Entry[]): Entry | undefined {
    const [one, ...others] = entries;
    if (one === undefined) return undefined;
    return others.reduce((best, other) => (this.#isBefore(other.task, best.task) ? other : best), one);
  }

  #isBefore(task: Task, other: Task): boolean {
    const [one, two] = [task, other].map((entry) => this.#accounts.get(this.#accountOf(entry)));
    if (one === undefined || two === undefined) return false;
    if (one !== two) return one.seconds < two.seconds;
    return (one.tasks.get(task)?.seconds ?? 0) < (one.tasks.get(other)?.seconds ?? 0);
  }
}

function limitCredit(usages: Iterable<{ seconds: number }>, lastSeconds: number): void {
  for (const usage of usages) usage.seconds = Math.max(usage.seconds, lastSeconds - CREDIT_SECONDS_MAX);
}
