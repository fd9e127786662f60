import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

type Dispatcher = NonNullable<RequestInit['dispatcher']>;
type Connect = (
  options: { readonly protocol: string },
  callback: (error: Error | null, socket: Socket | null) => void,
) => void;

/**
 * Sends requests of `fetch` to a local port, whatever address they name, so that the server sees the host of that address as
 * behind a load balancer. `fetch` permits no `Host` header.
 */
export async function dispatcherTo(port: number): Promise<Dispatcher> {
  // Node has the class of its dispatcher, but does not export it. The first request loads it.
  await fetch('data:,');
  const dispatchers = globalThis as unknown as Record<symbol, object>;
  const Agent = dispatchers[Symbol.for('undici.globalDispatcher.1')]!.constructor as new (options: {
    readonly connect: Connect;
  }) => Dispatcher;
  const connect: Connect = ({ protocol }, callback) => {
    const target = { port, host: '127.0.0.1' };
    const isTls = protocol === 'https:';
    const socket = isTls ? connectTls({ ...target, ALPNProtocols: ['http/1.1'] }) : connectTcp(target);
    socket.setNoDelay(true);
    const onError = (error: Error) => callback(error, null);
    socket.once('error', onError);
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      socket.off('error', onError);
      callback(null, socket);
    });
  };
  return new Agent({ connect });
}
