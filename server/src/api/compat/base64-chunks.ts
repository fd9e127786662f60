/** Encodes a byte stream as base64 chunks that can be concatenated: only the last one is padded, none is empty. */
export async function* toBase64Chunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  // Groups of three bytes need no padding.
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    const length = bytes.length - (bytes.length % 3);
    if (length > 0) yield bytes.toString('base64', 0, length);
    rest = bytes.subarray(length);
  }
  if (rest.length > 0) yield rest.toString('base64');
}
