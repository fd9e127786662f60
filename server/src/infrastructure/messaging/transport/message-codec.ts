import { Packr } from 'msgpackr';
import { z } from 'zod';
import {
  type GatewayMessage,
  type Heartbeat,
  ID_PATTERN,
  PAYLOAD_MAX_BYTES,
  PROTOCOL_VERSION,
  WORK_KINDS,
  type WorkerMessage,
} from '../protocol/messages.ts';

const packr = new Packr({ useRecords: false });

const COUNT_MAX = 2 ** 40;
const KINDS_MAX = 16;
const ENGINES_MAX = 64;
const TEXT_MAX = 4096;
const count = z.number().int().min(0).max(COUNT_MAX);
const name = z.string().max(200);
const payload = z
  .instanceof(Uint8Array)
  .refine(({ byteLength }) => byteLength <= PAYLOAD_MAX_BYTES, 'The payload is too large.');
const address = { v: z.literal(PROTOCOL_VERSION), task: z.string().regex(ID_PATTERN), attempt: count };

const gatewayMessage = z.discriminatedUnion('type', [
  z.object({
    ...address,
    type: z.literal('start'),
    kind: z.enum(WORK_KINDS),
    payload,
    hasInput: z.boolean(),
    limit: count,
    deadlineMs: count,
    version: name,
    boot: name,
  }),
  z.object({
    ...address,
    type: z.literal('grant'),
    received: count,
    limit: count,
    resend: z.boolean(),
    inputSent: count,
  }),
  z.object({ ...address, type: z.literal('input'), seq: count, payload, isLast: z.boolean() }),
  z.object({ ...address, type: z.literal('cancel') }),
]);

const outcome = z.discriminatedUnion('type', [
  z.object({ type: z.literal('done') }),
  z.object({
    type: z.literal('failed'),
    code: name.nullish().transform((code) => code ?? undefined),
    message: z.string().max(TEXT_MAX),
  }),
  z.object({ type: z.literal('lost'), isSuspect: z.boolean() }),
]);

const workerMessage = z.discriminatedUnion('type', [
  z.object({
    ...address,
    type: z.literal('refused'),
    reason: z.enum(['full', 'draining', 'kind', 'version']),
  }),
  z.object({ ...address, type: z.literal('unknown') }),
  z.object({ ...address, type: z.literal('event'), seq: count, payload }),
  z.object({ ...address, type: z.literal('end'), seq: count, outcome }),
  z.object({ ...address, type: z.literal('input-received'), received: count, taken: count }),
]);

const heartbeat = z.object({
  boot: name,
  protocol: count,
  version: name,
  isDraining: z.boolean(),
  kinds: z
    .array(
      z.object({
        kind: z.enum(WORK_KINDS),
        slots: count,
        openTasks: count,
        processes: count,
        engines: z.array(name).max(ENGINES_MAX),
      }),
    )
    .max(KINDS_MAX),
});

/** MessagePack of a message, with the protocol version. */
export function encodeMessage(message: GatewayMessage | WorkerMessage): Uint8Array {
  return packr.pack({ v: PROTOCOL_VERSION, ...message });
}

export function encodeHeartbeat(value: Heartbeat): Uint8Array {
  return packr.pack(value);
}

/** Undefined for bytes that are not a valid message of this protocol version. */
export function decodeGatewayMessage(bytes: Uint8Array): GatewayMessage | undefined {
  return decode(gatewayMessage, bytes);
}

export function decodeWorkerMessage(bytes: Uint8Array): WorkerMessage | undefined {
  return decode(workerMessage, bytes);
}

/** A heartbeat of any protocol version, so that an incompatible worker can be reported. */
export function decodeHeartbeat(bytes: Uint8Array): Heartbeat | undefined {
  return decode(heartbeat, bytes);
}

function decode<T>(schema: z.ZodType<T>, bytes: Uint8Array): T | undefined {
  try {
    const result = schema.safeParse(packr.unpack(bytes));
    return result.success ? result.data : undefined;
  } catch {
    return undefined;
  }
}
