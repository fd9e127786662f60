import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

/** The tables of TCP connections of Linux, for IPv4 and IPv6. */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];

/**
 * Bytes of a connection that the peer has not acknowledged, as the kernel knows them. The kernel reports free space of its
 * send buffer only when a third of it (up to 4 MB) is free; this shows sooner whether the peer reads. Undefined where there is
 * no such table, as on other systems than Linux.
 */
export async function sendQueueBytes(
  socket: Pick<Socket, 'localPort' | 'remotePort'>,
): Promise<number | undefined> {
  const { localPort, remotePort } = socket;
  if (localPort === undefined || remotePort === undefined) return undefined;
  for (const path of TABLES) {
    const table = await readFile(path, 'utf8').catch(() => '');
    const bytes = parseSendQueue(table, localPort, remotePort);
    if (bytes !== undefined) return bytes;
  }
  return undefined;
}

/** The send queue of the connection with these ports, whatever its addresses. The largest one if there are several. */
export function parseSendQueue(table: string, localPort: number, remotePort: number): number | undefined {
  const [local, remote] = [localPort, remotePort].map((port) =>
    port.toString(16).toUpperCase().padStart(4, '0'),
  );
  // `sl  local_address rem_address   st tx_queue:rx_queue …`; all numbers are hexadecimal.
  const line = new RegExp(`^ *\\d+: [0-9A-F]+:${local} [0-9A-F]+:${remote} [0-9A-F]{2} ([0-9A-F]{8}):`, 'gm');
  const queues = [...table.matchAll(line)].map(([, bytes = '0']) => Number.parseInt(bytes, 16));
  return queues.length === 0 ? undefined : Math.max(...queues);
}
