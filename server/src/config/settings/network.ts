import { z } from 'zod';
import type { Setting } from '../setting.ts';
import { boolean, file, integer, list, networkRange, number } from '../setting-types.ts';

/** Address, encryption and proxies of the HTTP server, and the web console. */
export const NETWORK_SETTINGS = {
  port: {
    env: 'PORT',
    schema: integer(0, 65_535).default(8080),
    description: 'HTTP port; 0 selects a free port.',
  },
  host: {
    env: 'HOST',
    schema: z.string().min(1).default('127.0.0.1'),
    description: 'Address to listen on. `0.0.0.0` or `::` accepts connections from the network.',
  },
  tlsCert: {
    env: 'MYNAH_TLS_CERT',
    schema: file().optional(),
    description:
      'PEM file with the certificate of the server, followed by intermediate ones. With MYNAH_TLS_KEY the server speaks HTTPS and WSS only. Changed files are used for new connections without a restart.',
  },
  tlsKey: {
    env: 'MYNAH_TLS_KEY',
    schema: file().optional(),
    description: 'PEM file with the private key of MYNAH_TLS_CERT, without a passphrase.',
  },
  trustProxy: {
    env: 'MYNAH_TRUST_PROXY',
    schema: list(networkRange(), []),
    description:
      'Addresses and subnets of reverse proxies, or `loopback`, `linklocal`, `uniquelocal`. The client address and host in the `X-Forwarded-*` headers of their requests are used.',
  },

  corsOrigins: {
    env: 'MYNAH_CORS_ORIGINS',
    schema: list(z.string().min(1), []),
    description:
      'Web origins that may call the server from a browser. `*` allows all. In open mode, WebSockets from other origins are refused as well.',
  },
  console: {
    env: 'MYNAH_CONSOLE',
    schema: boolean().default(true),
    description: 'Whether the server serves the web console at `/` and accepts its session cookies.',
  },
  sessionHours: {
    env: 'MYNAH_SESSION_HOURS',
    schema: number(0.0005, 8760).default(168),
    description: 'Lifetime of a session of the web console after login, in hours.',
  },
  drainSeconds: {
    env: 'MYNAH_DRAIN_SECONDS',
    schema: integer(0, 3600).default(30),
    description: 'Maximum time in seconds for running requests to finish after a signal to stop.',
  },
} as const satisfies Readonly<Record<string, Setting>>;
