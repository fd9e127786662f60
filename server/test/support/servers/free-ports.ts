import { createServer } from 'node:net';

/** TCP ports that were free a moment ago. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (each) =>
        new Promise<number>((resolve) => {
          each.listen(0, '127.0.0.1', () => resolve((each.address() as { port: number }).port));
        }),
    ),
  );
  await Promise.all(servers.map((each) => new Promise((resolve) => each.close(resolve))));
  return ports;
}
