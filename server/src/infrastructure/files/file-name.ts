const SAFE_NAME = /^[\w-]+(?:[./][\w-]+)*$/;

/** Throws a `RangeError` for a name that could lead outside of the store. */
export function assertFileName(name: string): void {
  if (!SAFE_NAME.test(name)) throw new RangeError(`Not a valid file name: ${JSON.stringify(name)}`);
}
