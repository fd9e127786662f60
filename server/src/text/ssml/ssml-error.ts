/** Invalid or unsupported SSML. The message is for the client and includes the offset. */
export class SsmlError extends Error {
  override readonly name = 'SsmlError';
  /** UTF-16 offset into the text. */
  readonly at: number;

  constructor(message: string, at: number) {
    super(`${message} (at character ${at})`);
    this.at = at;
  }
}
