import { type ChildProcess, fork } from 'node:child_process';
import type { Children } from './children.ts';

type RpcReply<Result> =
  | { readonly kind: 'result'; readonly result: Result }
  | { readonly kind: 'failure'; readonly message: string };

/** A child process that serves one call at a time. */
export class RpcProcess<Call extends object, Result> {
  readonly #child: ChildProcess;
  readonly #children: Children;

  constructor(entry: string, children: Children) {
    this.#children = children;
    this.#child = children.add(
      fork(entry, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
    );
  }

  /** Rejects when the call fails, or when the process exits without a reply. */
  call(call: Call): Promise<Result> {
    return new Promise((resolve, reject) => {
      const onExit = () => reject(new Error('A measured process exited before it replied.'));
      this.#child.once('exit', onExit);
      this.#child.once('message', (reply: RpcReply<Result>) => {
        this.#child.off('exit', onExit);
        if (reply.kind === 'failure') reject(new Error(reply.message));
        else resolve(reply.result);
      });
      this.#child.send(call);
    });
  }

  async stop(): Promise<void> {
    await this.#children.stop(this.#child);
  }
}

/** Serves the calls of the parent process until it disconnects. */
export function serveCalls<Call, Result>(serve: (call: Call) => Promise<Result>): void {
  process.on('disconnect', () => process.exit(0));
  process.on('message', (call: Call) => {
    serve(call).then(
      (result) => reply({ kind: 'result', result }),
      (error: unknown) =>
        reply({ kind: 'failure', message: error instanceof Error ? error.message : String(error) }),
    );
  });

  function reply(message: RpcReply<Result>): void {
    process.send?.(message);
  }
}
