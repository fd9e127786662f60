export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
export const OPENMETRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** Whether a client asks for OpenMetrics, as Prometheus does. */
export function acceptsOpenMetrics(accept: string | undefined): boolean {
  return accept?.includes('application/openmetrics-text') ?? false;
}

/**
 * Converts the Prometheus text format to OpenMetrics: the family of a counter is named without `_total`, and the text
 * ends with a marker.
 */
export function toOpenMetrics(text: string): string {
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/^# (HELP|TYPE) (\S+)_total /, '# $1 $2 '));
  return `${lines.join('\n')}\n# EOF\n`;
}
