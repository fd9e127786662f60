/**
 * The type an `Accept` header likes best among those offered, by its quality values and then by their order
 * in the header. What the header does not decide is the first of those offered.
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
