import { type ChildProcess, fork } from 'node:child_process';
import type { Children } from './children.ts';

type Reply<Answer> = { readonly answer: Answer } | { readonly failure: string };

/** A process of ours that answers one question at a time. */
export class AskedProcess<Question extends object, Answer> {
  readonly #child: ChildProcess;
  readonly #children: Children;

  constructor(entry: string, children: Children) {
    this.#children = children;
    this.#child = children.add(
      fork(entry, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
    );
  }

  /** Rejects when the process says that it failed, and when it ends instead of answering. */
  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const onExit = () => reject(new Error('A measured process ended before it answered.'));
      this.#child.once('exit', onExit);
      this.#child.once('message', (reply: Reply<Answer>) => {
        this.#child.off('exit', onExit);
        if ('failure' in reply) reject(new Error(reply.failure));
        else resolve(reply.answer);
      });
      this.#child.send(question);
    });
  }

  async stop(): Promise<void> {
    await this.#children.stop(this.#child);
  }
}

/** The other side: answers every question of the parent, until the parent is gone. */
export function answerQuestions<Question, Answer>(answer: (question: Question) => Promise<Answer>): void {
  process.on('disconnect', () => process.exit(0));
  process.on('message', (question: Question) => {
    answer(question).then(
      (result) => reply({ answer: result }),
      (error: unknown) => reply({ failure: error instanceof Error ? error.message : String(error) }),
    );
  });

  function reply(message: Reply<Answer>): void {
    process.send?.(message);
  }
}
