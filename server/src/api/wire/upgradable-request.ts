import { IncomingMessage } from 'node:http';

/**
 * A request that is upgraded to WebSocket only. Node treats every offer to change the protocol as an upgrade as soon as a
 * server has WebSockets; HTTP lets a server ignore it. Java's client and `curl --http2` offer HTTP/2 with every request.
 */
export class UpgradableRequest extends IncomingMessage {
  // Without an initializer: the constructor of the parent class writes it.
  declare private offersUpgrade: boolean;

  /** Read by Node when it has parsed the headers. */
  get upgrade(): boolean {
    const isWebSocket = this.headers.upgrade?.toLowerCase() === 'websocket';
    return this.offersUpgrade && (isWebSocket || this.method === 'CONNECT');
  }

  set upgrade(offersUpgrade: boolean) {
    this.offersUpgrade = offersUpgrade;
  }
}
