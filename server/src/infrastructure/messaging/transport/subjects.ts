import { ID_PATTERN } from '../protocol/messages.ts';

/**
 * Subjects of the cluster. A worker publishes only subjects that end with its own id and subscribes only to its own, so
 * that permissions of a NATS server can confine it: see docs/guides/scaling.md. The sender of a message is the last token
 * of its subject.
 */
export class Subjects {
  readonly #prefix: string;

  constructor(prefix = 'mynah') {
    this.#prefix = prefix;
  }

  presence(workerId: string): string {
    return `${this.#prefix}.presence.${workerId}`;
  }

  /** From a gateway to all gateways. */
  load(gatewayId: string): string {
    return `${this.#prefix}.load.${gatewayId}`;
  }

  /** From a gateway to a worker. */
  toWorker(workerId: string, gatewayId: string): string {
    return `${this.#prefix}.worker.${workerId}.${gatewayId}`;
  }

  /** From a worker to a gateway. */
  toGateway(gatewayId: string, workerId: string): string {
    return `${this.#prefix}.gateway.${gatewayId}.${workerId}`;
  }
}

/** The sender of a message; undefined if it is not a valid id. */
export function senderOf(subject: string): string | undefined {
  const sender = subject.slice(subject.lastIndexOf('.') + 1);
  return ID_PATTERN.test(sender) ? sender : undefined;
}
