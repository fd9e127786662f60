/** Sounds a voice makes without words. Each engine makes them with the voice that speaks. */
export const VOCAL_SOUNDS = [
  ...['laugh', 'chuckle', 'sob', 'cry', 'sigh', 'groan', 'pant', 'gasp', 'yawn', 'snore'],
  ...['clear-throat', 'inhale', 'exhale', 'cough', 'lip-smack', 'tsk', 'moan', 'audience-laughter'],
] as const;
export type VocalSound = (typeof VOCAL_SOUNDS)[number];
