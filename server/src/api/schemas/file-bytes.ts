/** Decodes a file in a body: bytes in MessagePack; base64, or Node's representation of a `Buffer`, in JSON. */
export function decodeFileBytes(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  if (typeof value === 'string') return Buffer.from(value.replace(/^data:[^,]*,/, ''), 'base64');
  const data = (value as { data?: unknown } | null | undefined)?.data;
  return Array.isArray(data) ? Uint8Array.from(data as number[]) : undefined;
}
