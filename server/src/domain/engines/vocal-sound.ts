/** Non-verbal sounds. An engine renders them with the voice of the utterance. */
export const VOCAL_SOUNDS = [
  ...['laugh', 'chuckle', 'sob', 'cry', 'sigh', 'groan', 'pant', 'gasp', 'yawn', 'snore'],
  ...['clear-throat', 'inhale', 'exhale', 'cough', 'lip-smack', 'tsk', 'moan', 'audience-laughter'],
] as const;
export type VocalSound = (typeof VOCAL_SOUNDS)[number];
