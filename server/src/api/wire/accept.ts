/**
 * Content negotiation: the offered type that an `Accept` header prefers, by quality value, then by order in the
 * header. Default: the first offered type.
 */
export function preferredType<Type extends string>(
  header: string | undefined,
  offered: readonly [Type, ...Type[]],
): Type {
  let best: { type: Type; quality: number } | undefined;
  for (const range of (header ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
    const type = offered.find((candidate) => candidate === name);
    const quality = Number(/^q=([\d.]+)$/.exec(parameters.at(-1) ?? '')?.[1] ?? 1);
    if (type !== undefined && quality > (best?.quality ?? 0)) best = { type, quality };
  }
  return best?.type ?? offered[0];
}
