/** A recording of the wizard: from the microphone or a file. */
export interface Recording {
  readonly id: string;
  readonly name: string;
  readonly blob: Blob;
  readonly url: string;
}

export const RECORDINGS_MAX = 20;
