/** A fault of the machine that prevents the start. The message is one sentence for the operator. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
