import type { Message } from '../lib/i18n.ts';

/** Cues of the palette, as they are written in the text. All are in the cue table of the server. */
export const CUE_GROUPS: readonly { readonly title: Message; readonly cues: readonly string[] }[] = [
  {
    title: 'Emotions',
    cues: [
      ...['happy', 'excited', 'delighted', 'surprised', 'proud', 'grateful', 'curious', 'calm', 'confident'],
      ...[
        'serious',
        'sad',
        'disappointed',
        'lonely',
        'nostalgic',
        'angry',
        'frustrated',
        'sarcastic',
        'nervous',
      ],
      ...['worried', 'scared', 'confused', 'friendly', 'comforting', 'relieved', 'mysterious', 'urgent'],
    ],
  },
  {
    title: 'Tones',
    cues: [
      ...[
        'whispering',
        'soft tone',
        'low voice',
        'loud',
        'shouting',
        'in a hurry tone',
        'narrator',
        'pitch up',
      ],
      ...['pitch down', 'laughing tone'],
    ],
  },
  {
    title: 'Sounds',
    cues: [
      'laughing',
      'chuckling',
      'sighing',
      'gasping',
      'sobbing',
      'yawning',
      'clear throat',
      'cough',
      'inhale',
      'tsk',
    ],
  },
  { title: 'Pauses', cues: ['break', 'long-break'] },
];

/** A text that shows the effect of a cue. */
export function cueSample(cue: string): string {
  return `(${cue}) I did not expect to see you here today.`;
}
