/** Maximum difference of minor versions between a gateway and a worker, so that a rolling upgrade works. */
const MINOR_SKEW_MAX = 1;

/** Whether a gateway and a worker of these package versions work together. */
export function areCompatible(one: string, other: string): boolean {
  const a = parse(one);
  const b = parse(other);
  if (a === undefined || b === undefined) return one === other;
  return a.major === b.major && Math.abs(a.minor - b.minor) <= MINOR_SKEW_MAX;
}

function parse(version: string): { readonly major: number; readonly minor: number } | undefined {
  const match = /^(\d{1,9})\.(\d{1,9})\./.exec(version);
  return match === null ? undefined : { major: Number(match[1]), minor: Number(match[2]) };
}
