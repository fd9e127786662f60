import { setTimeout as delay } from 'node:timers/promises';
import type { Config, Environment } from '../config/config.ts';
import { VERSION } from '../config/package-info.ts';
import type { Logger } from '../logger.ts';
import { installTracer } from '../tracing/tracing.ts';

/** Problems of delivery are logged at most once in this time. */
const PROBLEM_LOG_MS = 60_000;
/** Time for the last spans when the server stops; a collector that cannot be reached must not delay it. */
const CLOSE_MAX_MS = 3000;

/**
 * Starts to send traces if the settings name a collector. The libraries of OpenTelemetry are loaded only then. Returns
 * the function that delivers the remaining spans and stops.
 */
export async function startTracing(
  { otlpEndpoint: endpoint }: Pick<Config, 'otlpEndpoint'>,
  { env, logger }: { readonly env: Environment; readonly logger: Logger },
): Promise<() => Promise<void>> {
  if (endpoint === undefined || env.OTEL_SDK_DISABLED === 'true') return async () => {};
  const { OtlpTracer } = await import('../infrastructure/tracing/otlp-tracer.ts');
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  const onProblem = ({ message }: Error) => {
    if (performance.now() - loggedAtMs < PROBLEM_LOG_MS) return;
    loggedAtMs = performance.now();
    logger.warn({ problem: message }, 'spans could not be delivered to the collector');
  };
  const tracer = new OtlpTracer({ endpoint, version: VERSION, env, onProblem });
  installTracer(tracer);
  return async () => {
    installTracer(undefined);
    await Promise.race([tracer.close(), delay(CLOSE_MAX_MS, undefined, { ref: false })]);
  };
}
