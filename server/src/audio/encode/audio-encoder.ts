/**
 * Turns mono float samples into the bytes of one file, piece by piece. The concatenation of everything
 * returned is the file, and it does not depend on how the samples were cut into calls.
 */
export interface AudioEncoder {
  readonly contentType: string;
  readonly fileExtension: string;
  /** Takes the next samples, keeping none of them, and returns the bytes that are ready, possibly none. */
  encode(samples: Float32Array): Uint8Array;
  /** Returns the last bytes and lets go of everything held. Nothing may be encoded afterwards. */
  finish(): Uint8Array;
  /** Lets go of everything held without finishing the file. Harmless when repeated or after `finish`. */
  dispose(): void;
}
