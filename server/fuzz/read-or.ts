/** A process may exit while its files are read; some systems have no such files. */
export function readOr<Value>(fallback: Value, read: () => Value): Value {
  try {
    return read();
  } catch {
    return fallback;
  }
}
