import type { Aspect } from './voice-description.ts';

/** The effect of a word of a description. */
export interface Meaning {
  readonly aspect: Aspect;
  /** The value of the aspect as one word. */
  readonly label: string;
  readonly gender?: 'female' | 'male';
  /** Standard deviations that are added, see `VoiceTargets`; `speakingRate` counts steps of 15 %. */
  readonly shifts?: Partial<Readonly<Record<Shift, number>>>;
  /** The word is known, but the server does not support it. */
  readonly isUnsupported?: true;
}
export type Shift = 'pitch' | 'pitchRange' | 'brightness' | 'speakingRate';

interface MeaningRow extends Meaning {
  /** Words and phrases of up to three words, separated by commas. */
  readonly words: string;
}

/** The table of meanings. A word in several rows has all of their meanings. */
const ROWS: readonly MeaningRow[] = [
  {
    aspect: 'gender',
    label: 'male',
    gender: 'male',
    words:
      'man, men, male, masculine, manly, gentleman, guy, dude, lad, boy, boyish, father, dad, grandfather, grandpa, granddad, uncle, brother, son, husband, king, prince, wizard, monk, he, him, his, baritone, tenor, businessman',
  },
  {
    aspect: 'gender',
    label: 'female',
    gender: 'female',
    words:
      'woman, women, female, feminine, womanly, lady, gal, lass, girl, girly, girlish, mother, mom, mum, grandmother, grandma, granny, aunt, sister, daughter, wife, queen, princess, witch, nun, she, her, hers, soprano, mezzo, contralto, businesswoman',
  },
  {
    aspect: 'age',
    label: 'child',
    shifts: { pitch: 2.5, brightness: 1 },
    words: 'child, childlike, childish, kid, toddler, boy, girl',
  },
  {
    aspect: 'age',
    label: 'young',
    shifts: { pitch: 0.6, brightness: 0.5, speakingRate: 0.3 },
    words:
      'young, younger, youthful, teen, teenage, teenager, adolescent, college, student, twenties, lad, lass',
  },
  {
    aspect: 'age',
    label: 'middle-aged',
    words: 'middle aged, middle age, adult, mature, thirties, forties, fifties',
  },
  {
    aspect: 'age',
    label: 'old',
    shifts: { pitch: -0.5, brightness: -0.7, speakingRate: -0.8 },
    words:
      'old, older, elderly, aged, ancient, senior, sixties, seventies, eighties, nineties, grandfather, grandpa, granddad, grandmother, grandma, granny, wizard',
  },
  {
    aspect: 'pitch',
    label: 'low',
    shifts: { pitch: -1.5 },
    words:
      'deep, deeper, low, lower, low pitched, low pitch, bass, baritone, booming, sonorous, contralto, rumbling',
  },
  {
    aspect: 'pitch',
    label: 'medium',
    shifts: { pitch: 0 },
    words: 'medium pitched, medium pitch, mid pitched',
  },
  {
    aspect: 'pitch',
    label: 'high',
    shifts: { pitch: 1.5 },
    words: 'high, higher, high pitched, high pitch, squeaky, shrill, soprano, tenor, piping',
  },
  {
    aspect: 'pacing',
    label: 'slow',
    shifts: { speakingRate: -1 },
    words:
      'slow, slower, slowly, slow paced, unhurried, leisurely, measured, deliberate, deliberately, drawling, relaxed, sleepy',
  },
  {
    aspect: 'pacing',
    label: 'steady',
    shifts: { speakingRate: 0 },
    words: 'steady, medium paced, moderate pace, even paced',
  },
  {
    aspect: 'pacing',
    label: 'fast',
    shifts: { speakingRate: 1 },
    words: 'fast, faster, quick, quickly, fast paced, rapid, rapidly, brisk, hurried, hasty, rushed',
  },
  {
    aspect: 'tone',
    label: 'dark',
    shifts: { brightness: -1.5 },
    words: 'dark, warm, warmer, mellow, rich, soft, softly, smooth, velvety, round, full, gentle, soothing',
  },
  {
    aspect: 'tone',
    label: 'bright',
    shifts: { brightness: 1.5 },
    words:
      'bright, brighter, crisp, clear, clearly, sharp, thin, light, metallic, piercing, articulate, ringing',
  },
  {
    aspect: 'emotion',
    label: 'lively',
    shifts: { pitchRange: 1.5, speakingRate: 0.3 },
    words:
      'lively, expressive, animated, energetic, high energy, enthusiastic, excited, cheerful, happy, joyful, playful, upbeat, dramatic, theatrical, friendly, engaging, passionate, bubbly, storyteller, storytelling',
  },
  {
    aspect: 'emotion',
    label: 'calm',
    shifts: { pitchRange: -1.5, speakingRate: -0.3 },
    words:
      'calm, calming, monotone, monotonous, flat, even, serious, neutral, composed, stoic, sad, melancholic, tired, bored, low energy, meditative, professional, formal, robotic, serene, solemn',
  },
  {
    aspect: 'emotion',
    label: 'authoritative',
    shifts: { pitch: -0.5, pitchRange: -0.7 },
    words: 'authoritative, commanding, confident, powerful, stern, trustworthy, reassuring',
  },
  { aspect: 'accent', label: 'american', words: 'american, american accent, us accent, american english' },
  {
    aspect: 'accent',
    label: 'other',
    isUnsupported: true,
    words:
      'british, english accent, uk accent, received pronunciation, cockney, scottish, irish, welsh, australian, indian, french, german, italian, spanish, russian, chinese, japanese, african, southern, texan, new york, nordic, arabic, mexican, brazilian, accented',
  },
  {
    aspect: 'tone',
    label: 'rough',
    isUnsupported: true,
    words:
      'raspy, hoarse, gravelly, gruff, rough, breathy, creaky, croaky, nasal, whispering, whispery, whispered, husky',
  },
  {
    aspect: 'emotion',
    label: 'strong feeling',
    isUnsupported: true,
    words:
      'angry, furious, crying, sobbing, laughing, terrified, scared, seductive, sarcastic, evil, sinister',
  },
  {
    aspect: 'loudness',
    label: 'loudness',
    isUnsupported: true,
    words: 'loud, louder, shouting, yelling, quiet, quieter, quietly, hushed, low volume, high volume',
  },
  {
    aspect: 'reverb',
    label: 'room',
    isUnsupported: true,
    words:
      'reverb, echo, echoing, echoey, hall, cathedral, telephone, phone line, radio, studio, studio quality, high quality',
  },
];

/** Factors of words that strengthen or weaken a following word. */
export const INTENSIFIERS: Readonly<Record<string, number>> = {
  very: 1.5,
  extremely: 1.8,
  incredibly: 1.8,
  super: 1.5,
  really: 1.5,
  quite: 1,
  rather: 0.8,
  fairly: 0.8,
  moderately: 0.7,
  somewhat: 0.5,
  slightly: 0.5,
  bit: 0.5,
};

/** Words that negate a following word, which is then ignored. */
export const NEGATIONS: ReadonlySet<string> = new Set([
  'not',
  'no',
  'without',
  'never',
  'non',
  "isn't",
  "don't",
]);

/** Words without a meaning for a voice. */
export const FILLERS: ReadonlySet<string> = new Set(
  `a an the and or but of in on at to for from with by as is are be being been it its this that these those there
  i we you they them their me my your our who whose which what when while where how than then so too just also
  voice voices speaker speakers speaking speaks speak spoken speech talk talks talking talker tone pitch pitched pace
  paced pacing sound sounds sounding like accent manner style kind sort type person people someone somebody narrator
  narration narrating narrate reader reading reads read actor host announcer character delivery quality feel feeling
  please make create generate design give want wants need has have had having should would could can must will
  very much more most bit little age aged years year slight touch hint one nice good great natural human real
  s t english language listener audience about around over into out up down`
    .trim()
    .split(/\s+/),
);

/** Meanings by word or phrase. */
export const MEANINGS: ReadonlyMap<string, readonly Meaning[]> = toIndex(ROWS);

function toIndex(rows: readonly MeaningRow[]): ReadonlyMap<string, readonly Meaning[]> {
  const index = new Map<string, Meaning[]>();
  for (const { words, ...meaning } of rows) {
    for (const word of words.split(',').map((part) => part.trim())) {
      const known = index.get(word);
      if (known === undefined) index.set(word, [meaning]);
      else known.push(meaning);
    }
  }
  return index;
}
