import { z } from 'zod';
import type { Setting } from '../setting.ts';
import { integer } from '../setting-types.ts';

/** What the server reports about itself. */
export const OBSERVATION_SETTINGS = {
  logLevel: {
    env: 'MYNAH_LOG_LEVEL',
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    description: 'Minimum severity of log messages.',
  },
  logFormat: {
    env: 'MYNAH_LOG_FORMAT',
    schema: z.enum(['auto', 'json', 'text']).default('auto'),
    description: 'Format of log lines. `auto`: text on a terminal, otherwise JSON.',
  },
  metricsPort: {
    env: 'MYNAH_METRICS_PORT',
    schema: integer(0, 65_535).optional(),
    description:
      'Port on which `/metrics` is served without a key, also by `mynah worker`; 0 selects a free port. Not set: only on the HTTP port, for keys with the scope `metrics`.',
  },
  metricsHost: {
    env: 'MYNAH_METRICS_HOST',
    schema: z.string().min(1).default('127.0.0.1'),
    description:
      'Address on which MYNAH_METRICS_PORT listens. Keep it private: metrics have no authentication there.',
  },
  otlpEndpoint: {
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    schema: z.url({ protocol: /^https?$/ }).optional(),
    description:
      'Base URL of an OpenTelemetry collector, such as `http://localhost:4318`, that receives traces by OTLP over HTTP. Not set: no traces.',
  },
} as const satisfies Readonly<Record<string, Setting>>;
