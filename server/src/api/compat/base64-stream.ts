/** Bytes as base64 in parts that can be joined: only the last may be padded. Empty parts are left out. */
export async function* base64Parts(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  // Only whole groups of three bytes need no padding.
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    const length = bytes.length - (bytes.length % 3);
    if (length > 0) yield bytes.toString('base64', 0, length);
    rest = bytes.subarray(length);
  }
  if (rest.length > 0) yield rest.toString('base64');
}
