/** A text that is no SSML, or asks for what is not spoken. The message is for its author and names the place. */
export class SsmlError extends Error {
  override readonly name = 'SsmlError';
  /** Where it stands: a UTF-16 offset into the text. */
  readonly at: number;

  constructor(message: string, at: number) {
    super(`${message} (at character ${at})`);
    this.at = at;
  }
}
