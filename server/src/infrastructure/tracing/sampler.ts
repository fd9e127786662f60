import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';

const PARENT_BASED = /^parentbased_/;

/**
 * The sampler of `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG`, with the names of the OpenTelemetry
 * specification. Default: every request, unless the caller has decided otherwise.
 */
export function samplerOf(env: Readonly<Record<string, string | undefined>>): Sampler {
  const name = env.OTEL_TRACES_SAMPLER || 'parentbased_always_on';
  const root = rootSampler(name.replace(PARENT_BASED, ''), env.OTEL_TRACES_SAMPLER_ARG);
  return PARENT_BASED.test(name) ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(name: string, argument: string | undefined): Sampler {
  if (name === 'always_off') return new AlwaysOffSampler();
  if (name !== 'traceidratio') return new AlwaysOnSampler();
  const ratio = Number(argument || 1);
  return new TraceIdRatioBasedSampler(ratio >= 0 && ratio <= 1 ? ratio : 1);
}
