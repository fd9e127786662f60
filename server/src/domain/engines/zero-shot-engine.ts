/** Names of the zero-shot engines, each equal to the id of the model it needs. */
export const ZERO_SHOT_ENGINE_NAMES = ['zipvoice', 'pocket-tts'] as const;
export type ZeroShotEngineName = (typeof ZERO_SHOT_ENGINE_NAMES)[number];

/** An engine that imitates the voice of a reference recording. It is used where its model is installed. */
export interface ZeroShotEngine {
  readonly name: ZeroShotEngineName;
  /** Whether it also needs the transcript of the recording. */
  readonly needsTranscript: boolean;
}
