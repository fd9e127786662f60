import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { MetricsRegistry } from './metrics-registry.ts';

const PERCENTILES = ['50', '99', '100'] as const;
/** Sampling interval of the event-loop delay. The reported delay excludes it. */
const RESOLUTION_MS = 20;

/** Sets the metrics of the server process before each rendering. Returns the function that stops the sampling. */
export function addProcessMetrics(
  registry: MetricsRegistry,
  build: { readonly version: string },
): () => void {
  registry.set('mynah_build_info', { version: build.version, node: process.versions.node }, 1);
  registry.set('process_start_time_seconds', undefined, performance.timeOrigin / 1000);
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let lastCpuSeconds = 0;
  let lastUtilization = performance.eventLoopUtilization();
  registry.addSource(() => {
    const { user, system } = process.cpuUsage();
    const cpuSeconds = (user + system) / 1e6;
    registry.increment('process_cpu_seconds_total', undefined, cpuSeconds - lastCpuSeconds);
    lastCpuSeconds = cpuSeconds;
    registry.set('process_resident_memory_bytes', undefined, process.memoryUsage.rss());
    registry.set('nodejs_heap_used_bytes', undefined, process.memoryUsage().heapUsed);
    for (const percentile of PERCENTILES) {
      // Zero samples: the percentile of an empty histogram is 0.
      const seconds = delay.percentile(Number(percentile)) / 1e9 - RESOLUTION_MS / 1000;
      registry.set('nodejs_eventloop_delay_seconds', { percentile }, Math.max(0, seconds));
    }
    delay.reset();
    const utilization = performance.eventLoopUtilization();
    const { utilization: share } = performance.eventLoopUtilization(utilization, lastUtilization);
    lastUtilization = utilization;
    registry.set('nodejs_eventloop_utilization_ratio', undefined, share);
  });
  return () => void delay.disable();
}
