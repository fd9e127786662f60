import { hasCredit, type RunningAttempt } from './attempt.ts';
import type { DispatchPolicy } from './dispatch-policy.ts';
import type { GatewayEffect } from './dispatch-task.ts';
import type { WorkerMessage } from './messages.ts';

/**
 * Messages of one attempt in order and without loss: credit for events, input, acknowledgements, and the repetition of what
 * may have been lost.
 */
export class AttemptFlow {
  readonly #policy: DispatchPolicy;
  readonly #isDuplicate: (attempt: RunningAttempt, seq: number) => boolean;

  constructor(policy: DispatchPolicy, isDuplicate: (attempt: RunningAttempt, seq: number) => boolean) {
    this.#policy = policy;
    this.#isDuplicate = isDuplicate;
  }

  /** Repeats when neither side has sent anything for some time. */
  keepAlive(taskId: string, attempt: RunningAttempt, nowMs: number): readonly GatewayEffect[] {
    const { keepAliveMs } = this.#policy;
    const isSilent =
      nowMs - Math.max(attempt.grantedAtMs, attempt.heardAtMs) >= keepAliveMs ||
      nowMs - attempt.grantedAtMs >= 2 * keepAliveMs;
    return isSilent ? this.repeat(taskId, attempt, nowMs) : [];
  }

  /** Repeats what may have been lost: the grant, and unacknowledged input. */
  repeat(taskId: string, running: RunningAttempt, nowMs: number): readonly GatewayEffect[] {
    const effects: GatewayEffect[] = [this.grant(taskId, running, nowMs, true)];
    for (const [seq, input] of running.unacknowledged) {
      const message = { type: 'input', task: taskId, attempt: running.number, seq, ...input } as const;
      effects.push({ type: 'send', workerId: running.workerId, message });
    }
    return effects;
  }

  grant(taskId: string, running: RunningAttempt, nowMs: number, resend: boolean): GatewayEffect {
    running.grantedAtMs = nowMs;
    const { number: attempt, workerId, received, limit, inputSent } = running;
    const message = { type: 'grant', task: taskId, attempt, received, limit, resend, inputSent } as const;
    return { type: 'send', workerId, message };
  }

  /** Grants a window beyond the given number of events, half a window at a time. */
  grantMore(
    taskId: string,
    attempt: RunningAttempt,
    events: number,
    nowMs: number,
  ): readonly GatewayEffect[] {
    const { window } = this.#policy;
    const limit = events + window;
    if (limit - attempt.limit < window / 2) return [];
    if (!hasCredit(attempt)) attempt.progressAtMs = nowMs;
    attempt.limit = limit;
    return [this.grant(taskId, attempt, nowMs, false)];
  }

  /** Asks the caller for the next input if the worker can take it. */
  wantInput(taskId: string, running: RunningAttempt): readonly GatewayEffect[] {
    const { hasLastInput, inputWanted, inputSent, inputTaken, number: attempt } = running;
    if (hasLastInput || inputWanted > inputSent || inputSent - inputTaken >= this.#policy.inputWindow)
      return [];
    running.inputWanted = inputSent + 1;
    return [{ type: 'input-wanted', taskId, attempt, seq: running.inputWanted }];
  }

  acknowledgeInput(
    running: RunningAttempt,
    { task, received, taken }: Extract<WorkerMessage, { readonly type: 'input-received' }>,
    nowMs: number,
  ): readonly GatewayEffect[] {
    if (received > running.inputSent || taken > received) return [];
    if (received > running.inputReceived || taken > running.inputTaken) running.progressAtMs = nowMs;
    for (let seq = running.inputReceived + 1; seq <= received; seq++) running.unacknowledged.delete(seq);
    running.inputReceived = Math.max(running.inputReceived, received);
    running.inputTaken = Math.max(running.inputTaken, taken);
    return this.wantInput(task, running);
  }

  /** Accepts the next message of an attempt and returns undefined. Returns the effects of a duplicate or a gap. */
  accept(
    taskId: string,
    attempt: RunningAttempt,
    seq: number,
    nowMs: number,
  ): readonly GatewayEffect[] | undefined {
    if (this.#isDuplicate(attempt, seq)) return [];
    if (seq > attempt.received + 1) {
      // Once per gap; the keep-alive repeats the request if it is lost.
      if (attempt.hasGap) return [];
      attempt.hasGap = true;
      return [this.grant(taskId, attempt, nowMs, true)];
    }
    attempt.hasGap = false;
    attempt.received = seq;
    attempt.progressAtMs = nowMs;
    return undefined;
  }
}
