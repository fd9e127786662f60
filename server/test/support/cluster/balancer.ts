import { connect, createServer, type Socket } from 'node:net';

/** Forwards connections to the ports in turn, byte by byte. */
export async function startBalancer(ports: readonly number[]) {
  const sockets = new Set<Socket>();
  const nextPort = inTurn(ports);
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ port: nextPort(), host: '127.0.0.1', allowHalfOpen: true });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        if (from.errored) to.resetAndDestroy();
        else if (!from.readableEnded) to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    stopAccepting: () => void server.close(),
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/**
 * The gateways in turn. Always the first one while `MYNAH_TEST_ONE_GATEWAY` is set, during tests of what one process has for
 * itself (scripts/cluster-lane/node-test.mjs).
 */
export function inTurn<Gateway>(gateways: readonly Gateway[]): () => Gateway {
  let next = 0;
  return () =>
    process.env.MYNAH_TEST_ONE_GATEWAY === undefined ? gateways[next++ % gateways.length]! : gateways[0]!;
}
