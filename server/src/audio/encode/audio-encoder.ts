/**
 * Encodes a stream of mono float samples. The concatenation of all returned bytes is the file; it does not depend on how
 * the samples are divided into calls.
 */
export interface AudioEncoder {
  readonly contentType: string;
  readonly fileExtension: string;
  /** Encodes the next samples and returns the bytes that are ready, possibly none. Does not retain the array. */
  encode(samples: Float32Array): Uint8Array;
  /** Returns the last bytes and releases all resources. Ends the stream. */
  finish(): Uint8Array;
  /** Releases all resources without finishing the file. No effect when repeated or after `finish`. */
  dispose(): void;
}
