import type { EnglishAccentName } from '../../../text/piece.ts';
import type { Delivery } from '../../engines/delivery.ts';
import type { VocalSound } from '../../engines/vocal-sound.ts';
import { EMPHASIS } from './prosody-delivery.ts';

/**
 * The effect of one cue. To tune a cue, change its row and measure with `npm run acting`. Fields that a row omits
 * stay neutral; `domain/engines/delivery.ts` has their units. docs/design/acting.md explains the values.
 */
export interface Cue {
  /**
   * The duration of the effect. `emotion`, `tone` and `accent` last until the next cue of their kind or the end of
   * the sentence, `word` applies to the next word. A `sound` is inserted at its position; its delivery, if any,
   * then lasts like a tone.
   */
  readonly kind: 'emotion' | 'tone' | 'accent' | 'word' | 'sound' | 'pause';
  readonly delivery?: Partial<Delivery>;
  readonly sound?: VocalSound;
  readonly pauseSeconds?: number;
  readonly accent?: EnglishAccentName;
}

type Deliveries = Readonly<Record<string, Partial<Delivery>>>;

// biome-ignore format: one cue per line reads as a table
const EMOTIONS: Deliveries = {
  // Joy, ascending intensity.
  satisfied:     { pitchSemitones: 0.7, pitchRange: 1.1, effort: 0.05, rate: 0.97 },
  happy:         { pitchSemitones: 2, pitchRange: 1.35, levelDb: 2.4, effort: 0.2, rate: 1.05 },
  delighted:     { pitchSemitones: 3, pitchRange: 1.5, levelDb: 2, effort: 0.3, rate: 1.07 },
  joyful:        { pitchSemitones: 2.7, pitchRange: 1.5, levelDb: 2, effort: 0.3, rate: 1.07 },
  amused:        { pitchSemitones: 1.5, pitchRange: 1.35, levelDb: 0.5, effort: 0.1, rate: 1.03 },
  grateful:      { pitchSemitones: 0.8, pitchRange: 1.15, levelDb: -0.5, effort: -0.1, rate: 0.94, breath: 0.1 },
  proud:         { pitchSemitones: 0.7, pitchRange: 1.25, levelDb: 2, effort: 0.35, rate: 0.95 },
  hopeful:       { pitchSemitones: 1.3, pitchRange: 1.2, pitchSlopeSemitones: 1, effort: 0.05, rate: 0.98 },
  optimistic:    { pitchSemitones: 1.5, pitchRange: 1.25, pitchSlopeSemitones: 0.7, levelDb: 0.7, effort: 0.15, rate: 1.03 },
  interested:    { pitchSemitones: 1.2, pitchRange: 1.25, pitchSlopeSemitones: 0.8, levelDb: 0.5, effort: 0.1, rate: 1.03 },
  curious:       { pitchSemitones: 1.5, pitchRange: 1.3, pitchSlopeSemitones: 2, rate: 1 },
  keen:          { pitchSemitones: 1.8, pitchRange: 1.35, levelDb: 1.2, effort: 0.25, rate: 1.08 },
  excited:       { pitchSemitones: 3, pitchRange: 1.5, levelDb: 5, effort: 0.45, rate: 1.12, pauses: 0.7 },
  ecstatic:      { pitchSemitones: 4.5, pitchRange: 1.7, levelDb: 5.8, effort: 0.6, rate: 1.15, pauses: 0.6 },
  surprised:     { pitchSemitones: 3.2, pitchRange: 1.6, pitchSlopeSemitones: 1.5, levelDb: 2.6, effort: 0.25, rate: 1.02 },
  astonished:    { pitchSemitones: 4, pitchRange: 1.7, pitchSlopeSemitones: 1.5, levelDb: 2.7, effort: 0.3, rate: 0.96 },
  moved:         { pitchSemitones: 0.5, pitchRange: 1.1, levelDb: -1.5, effort: -0.3, rate: 0.88, breath: 0.2, tremorSemitones: 0.25, pauses: 1.3 },

  // Calm and sympathy.
  calm:          { pitchSemitones: -1.2, pitchRange: 0.75, levelDb: -1.5, effort: -0.3, rate: 0.88, pauses: 1.3 },
  relaxed:       { pitchSemitones: -1, pitchRange: 0.85, levelDb: -1.2, effort: -0.25, rate: 0.9, pauses: 1.2 },
  confident:     { pitchSemitones: -0.6, pitchRange: 1.2, pitchSlopeSemitones: -0.7, levelDb: 2, effort: 0.35, rate: 0.98 },
  determined:    { pitchSemitones: -0.4, pitchRange: 1.15, pitchSlopeSemitones: -1, levelDb: 2.5, effort: 0.45, rate: 0.96 },
  serious:       { pitchSemitones: -1.3, pitchRange: 0.8, pitchSlopeSemitones: -0.7, levelDb: 0.5, effort: 0.1, rate: 0.92 },
  sincere:       { pitchSemitones: -0.3, pitchRange: 1.05, levelDb: -0.5, effort: -0.1, rate: 0.92, breath: 0.08 },
  empathetic:    { pitchSemitones: -0.3, pitchRange: 1.05, levelDb: -1.7, effort: -0.35, rate: 0.89, breath: 0.15, pauses: 1.2 },
  sympathetic:   { pitchSemitones: -0.5, pitchRange: 1, levelDb: -1.7, effort: -0.35, rate: 0.88, breath: 0.15, pauses: 1.2 },
  compassionate: { pitchSemitones: -0.2, pitchRange: 1.05, levelDb: -2, effort: -0.4, rate: 0.87, breath: 0.18, pauses: 1.2 },
  comforting:    { pitchSemitones: -0.8, pitchRange: 0.95, levelDb: -2.5, effort: -0.5, rate: 0.86, breath: 0.2, pauses: 1.2 },
  conciliative:  { pitchSemitones: 0.3, pitchRange: 1, levelDb: -1.5, effort: -0.3, rate: 0.92, breath: 0.1 },
  yielding:      { pitchSemitones: -0.5, pitchRange: 0.8, pitchSlopeSemitones: -1.5, levelDb: -2.5, effort: -0.35, rate: 0.92, breath: 0.1 },

  // Sadness, ascending intensity.
  disappointed:  { pitchSemitones: -1, pitchRange: 0.75, pitchSlopeSemitones: -1.5, levelDb: -1.5, effort: -0.2, rate: 0.9, pauses: 1.2 },
  unhappy:       { pitchSemitones: -1, pitchRange: 0.7, pitchSlopeSemitones: -1, levelDb: -2, effort: -0.3, rate: 0.9, pauses: 1.2 },
  sad:           { pitchSemitones: -1.7, pitchRange: 0.6, pitchSlopeSemitones: -1.2, levelDb: -3, effort: -0.45, rate: 0.83, breath: 0.12, pauses: 1.4 },
  depressed:     { pitchSemitones: -2.3, pitchRange: 0.45, pitchSlopeSemitones: -1.5, levelDb: -4, effort: -0.6, rate: 0.77, breath: 0.15, pauses: 1.7 },
  lonely:        { pitchSemitones: -1.2, pitchRange: 0.65, pitchSlopeSemitones: -1, levelDb: -3, effort: -0.45, rate: 0.84, breath: 0.2, pauses: 1.4 },
  nostalgic:     { pitchSemitones: -0.6, pitchRange: 0.9, levelDb: -2, effort: -0.35, rate: 0.87, breath: 0.15, pauses: 1.3 },
  regretful:     { pitchSemitones: -1.3, pitchRange: 0.7, pitchSlopeSemitones: -1.2, levelDb: -2.5, effort: -0.35, rate: 0.87, breath: 0.1, pauses: 1.3 },
  guilty:        { pitchSemitones: -1.2, pitchRange: 0.65, pitchSlopeSemitones: -1, levelDb: -3, effort: -0.45, rate: 0.9, breath: 0.1, pauses: 1.3 },
  ashamed:       { pitchSemitones: -1.5, pitchRange: 0.6, pitchSlopeSemitones: -1, levelDb: -4, effort: -0.5, rate: 0.88, breath: 0.15, pauses: 1.3 },
  resigned:      { pitchSemitones: -1.7, pitchRange: 0.65, pitchSlopeSemitones: -2, levelDb: -2.5, effort: -0.35, rate: 0.88, breath: 0.1, pauses: 1.2 },
  pessimistic:   { pitchSemitones: -1.5, pitchRange: 0.7, pitchSlopeSemitones: -1.5, levelDb: -1, effort: -0.15, rate: 0.92 },
  painful:       { pitchSemitones: 1.5, pitchRange: 1.2, pitchSlopeSemitones: -1.5, levelDb: 0.5, effort: 0.25, rate: 0.85, breath: 0.1, tremorSemitones: 0.4, pauses: 1.4 },
  bored:         { pitchSemitones: -1.7, pitchRange: 0.45, pitchSlopeSemitones: -1, levelDb: -2, effort: -0.3, rate: 0.83 },
  indifferent:   { pitchSemitones: -1, pitchRange: 0.5, levelDb: -1, effort: -0.15, rate: 0.96 },

  // Anger, from impatience to fury.
  impatient:     { pitchSemitones: 0.8, pitchRange: 1.15, levelDb: 1.5, effort: 0.35, rate: 1.15, pauses: 0.6 },
  frustrated:    { pitchSemitones: 0.8, pitchRange: 1.25, pitchSlopeSemitones: -1, levelDb: 2, effort: 0.45, rate: 1.04 },
  upset:         { pitchSemitones: 1, pitchRange: 1.2, levelDb: 1.5, effort: 0.3, rate: 1.03, tremorSemitones: 0.25 },
  angry:         { pitchSemitones: 1.7, pitchRange: 1.35, pitchSlopeSemitones: -1, levelDb: 5.2, effort: 0.8, rate: 1.07, pauses: 0.8 },
  furious:       { pitchSemitones: 3, pitchRange: 1.5, pitchSlopeSemitones: -1, levelDb: 6.3, effort: 1.1, rate: 1.1, pauses: 0.7 },
  disapproving:  { pitchSemitones: -0.7, pitchRange: 1.1, pitchSlopeSemitones: -1.5, levelDb: 0.5, effort: 0.2, rate: 0.93 },
  negative:      { pitchSemitones: -0.8, pitchRange: 0.85, pitchSlopeSemitones: -1.2, levelDb: 0.5, effort: 0.15, rate: 0.96 },
  denying:       { pitchSemitones: 0.8, pitchRange: 1.3, pitchSlopeSemitones: -1, levelDb: 1.5, effort: 0.4, rate: 1.05 },
  jealous:       { pitchSemitones: 0.5, pitchRange: 1.15, pitchSlopeSemitones: -1, levelDb: 0.5, effort: 0.3, rate: 0.97 },
  envious:       { pitchSemitones: 0.3, pitchRange: 1.15, pitchSlopeSemitones: -1, levelDb: -0.5, effort: 0.2, rate: 0.95 },

  // Contempt.
  sarcastic:     { pitchSemitones: -0.5, pitchRange: 1.45, pitchSlopeSemitones: -1.5, levelDb: 0.5, effort: 0.1, rate: 0.86 },
  disdainful:    { pitchSemitones: -1.3, pitchRange: 0.85, pitchSlopeSemitones: -1.5, levelDb: -0.5, effort: 0.1, rate: 0.9 },
  contemptuous:  { pitchSemitones: -1.5, pitchRange: 0.9, pitchSlopeSemitones: -2, levelDb: 0.5, effort: 0.25, rate: 0.88 },
  scornful:      { pitchSemitones: -0.8, pitchRange: 1.25, pitchSlopeSemitones: -2, levelDb: 1.5, effort: 0.35, rate: 0.92 },
  sneering:      { pitchSemitones: 0.4, pitchRange: 1.35, pitchSlopeSemitones: -2, levelDb: 0.5, effort: 0.3, rate: 0.88 },
  disgusted:     { pitchSemitones: -1.2, pitchRange: 1.2, pitchSlopeSemitones: -2, levelDb: 0.5, effort: 0.3, rate: 0.88 },

  // Fear and doubt, ascending intensity.
  nervous:       { pitchSemitones: 1.3, pitchRange: 1.1, levelDb: -0.7, effort: -0.1, rate: 1.08, breath: 0.1, tremorSemitones: 0.3 },
  anxious:       { pitchSemitones: 1.5, pitchRange: 1.15, levelDb: -0.3, effort: 0.05, rate: 1.12, breath: 0.1, tremorSemitones: 0.3, pauses: 0.8 },
  worried:       { pitchSemitones: 0.9, pitchRange: 1.1, pitchSlopeSemitones: 0.7, levelDb: -1, effort: -0.15, rate: 0.97, breath: 0.1, tremorSemitones: 0.2 },
  scared:        { pitchSemitones: 3, pitchRange: 1.25, levelDb: -1.9, effort: -0.1, rate: 1.07, breath: 0.12, tremorSemitones: 0.5 },
  terrified:     { pitchSemitones: 4.5, pitchRange: 1.35, levelDb: 1, effort: 0.3, rate: 1.18, breath: 0.2, tremorSemitones: 0.7, pauses: 0.6 },
  panicked:      { pitchSemitones: 4, pitchRange: 1.4, levelDb: 2.5, effort: 0.5, rate: 1.25, breath: 0.15, tremorSemitones: 0.5, pauses: 0.4 },
  hysterical:    { pitchSemitones: 4.5, pitchRange: 1.7, levelDb: 4, effort: 0.8, rate: 1.18, tremorSemitones: 0.6, pauses: 0.5 },
  embarrassed:   { pitchSemitones: 0.7, pitchRange: 0.85, levelDb: -2.5, effort: -0.4, rate: 0.95, breath: 0.15, pauses: 1.3 },
  awkward:       { pitchSemitones: 0.6, pitchRange: 0.85, levelDb: -1.5, effort: -0.25, rate: 0.92, breath: 0.08, pauses: 1.6 },
  uncertain:     { pitchSemitones: 0.6, pitchRange: 0.9, pitchSlopeSemitones: 2, levelDb: -1.5, effort: -0.25, rate: 0.9, pauses: 1.4 },
  doubtful:      { pitchSemitones: 0.3, pitchRange: 1.1, pitchSlopeSemitones: 1.5, levelDb: -0.7, effort: -0.1, rate: 0.92, pauses: 1.2 },
  confused:      { pitchSemitones: 1.2, pitchRange: 1.25, pitchSlopeSemitones: 2, levelDb: -0.5, effort: -0.1, rate: 0.93, pauses: 1.3 },
  hesitating:    { pitchSemitones: 0.3, pitchRange: 0.85, pitchSlopeSemitones: 1, levelDb: -1.5, effort: -0.2, rate: 0.85, pauses: 2 },
  reluctant:     { pitchSemitones: -0.8, pitchRange: 0.75, pitchSlopeSemitones: -1, levelDb: -1.5, effort: -0.2, rate: 0.85, pauses: 1.6 },

  // Not listed in the published vocabulary, but used in its examples.
  friendly:      { pitchSemitones: 1.2, pitchRange: 1.2, levelDb: 0.5, effort: 0.05, rate: 1.02 },
  helpful:       { pitchSemitones: 0.9, pitchRange: 1.15, levelDb: 0.5, effort: 0.05, rate: 1 },
  concerned:     { pitchSemitones: 0.4, pitchRange: 1, levelDb: -1.2, effort: -0.2, rate: 0.93, breath: 0.08 },
  encouraging:   { pitchSemitones: 1.5, pitchRange: 1.3, pitchSlopeSemitones: 0.7, levelDb: 1.2, effort: 0.2, rate: 1.02 },
  enthusiastic:  { pitchSemitones: 2.5, pitchRange: 1.45, levelDb: 2.5, effort: 0.4, rate: 1.08 },
  mysterious:    { pitchSemitones: -1.7, pitchRange: 0.9, levelDb: -3, effort: -0.5, rate: 0.84, breath: 0.3, pauses: 1.5 },
  relieved:      { pitchSemitones: -0.3, pitchRange: 1.1, pitchSlopeSemitones: -1.5, levelDb: -1, effort: -0.25, rate: 0.92, breath: 0.2 },
  brave:         { pitchSemitones: -0.3, pitchRange: 1.2, levelDb: 2.5, effort: 0.45, rate: 0.97 },
  struggling:    { pitchSemitones: 0.8, pitchRange: 1.1, levelDb: 0.5, effort: 0.35, rate: 0.82, breath: 0.15, tremorSemitones: 0.4, pauses: 1.7 },
  triumphant:    { pitchSemitones: 2.5, pitchRange: 1.45, levelDb: 3.5, effort: 0.6, rate: 0.97 },
  urgent:        { pitchSemitones: 1.5, pitchRange: 1.25, levelDb: 2.5, effort: 0.5, rate: 1.2, pauses: 0.5 },
  shocked:       { pitchSemitones: 3.5, pitchRange: 1.6, pitchSlopeSemitones: 1, levelDb: 1, effort: 0.2, rate: 0.95, breath: 0.15 },
  narrator:      { pitchSemitones: -0.7, pitchRange: 1.15, levelDb: 0.5, effort: 0.1, rate: 0.93, pauses: 1.2 },
};

// biome-ignore format: one cue per line reads as a table
const TONES: Deliveries = {
  'in a hurry tone': { pitchSemitones: 0.7, pitchRange: 1.05, levelDb: 0.7, effort: 0.15, rate: 1.21, pauses: 0.4 },
  shouting:          { pitchSemitones: 4, pitchRange: 1.15, levelDb: 6, effort: 1, rate: 0.95 },
  screaming:         { pitchSemitones: 6.5, pitchRange: 1.2, levelDb: 7.5, effort: 1.2, rate: 0.93 },
  whispering:        { levelDb: -2, effort: -0.2, rate: 0.92, breath: 1 },
  'soft tone':       { pitchSemitones: -0.5, pitchRange: 0.85, levelDb: -5, effort: -0.7, rate: 0.92, breath: 0.25 },
  'low voice':       { pitchSemitones: -3, pitchRange: 0.85, levelDb: -2, effort: -0.3, rate: 0.95 },
  'low volume':      { levelDb: -7, effort: -0.35 },
  'volume down':     { levelDb: -5, effort: -0.2 },
  'volume up':       { levelDb: 4, effort: 0.35 },
  loud:              { pitchSemitones: 1.5, levelDb: 5, effort: 0.6 },
  'excited tone':    { pitchSemitones: 3, pitchRange: 1.5, levelDb: 5, effort: 0.45, rate: 1.12, pauses: 0.7 },
  'laughing tone':   { pitchSemitones: 2.2, pitchRange: 1.4, levelDb: 1, effort: 0.1, rate: 1.04, breath: 0.12, tremorSemitones: 0.35 },
  'pitch up':        { pitchSemitones: 3 },
  'pitch down':      { pitchSemitones: -3 },
  // A cue specifies no notes; long vowels and a wide pitch range approximate singing.
  singing:           { pitchSemitones: 2, pitchRange: 1.8, levelDb: 1, rate: 0.75, tremorSemitones: 0.5 },
  // Reverberation is not available; a quieter, slower delivery approximates it.
  echo:              { levelDb: -3, effort: -0.3, rate: 0.92, pauses: 1.5 },
};

/** Vocal sounds; the delivery applies to the rest of the sentence. */
// biome-ignore format: one cue per line reads as a table
const SOUNDS: Readonly<Record<string, { readonly sound: VocalSound; readonly delivery?: Partial<Delivery> }>> = {
  laughing:          { sound: 'laugh', delivery: { pitchSemitones: 2, pitchRange: 1.35, levelDb: 1, effort: 0.1, rate: 1.03, breath: 0.1, tremorSemitones: 0.3 } },
  chuckling:         { sound: 'chuckle', delivery: { pitchSemitones: 1, pitchRange: 1.2, breath: 0.1, tremorSemitones: 0.2 } },
  sobbing:           { sound: 'sob', delivery: { pitchSemitones: 1.5, pitchRange: 0.9, pitchSlopeSemitones: -1.5, levelDb: -2, effort: -0.3, rate: 0.82, breath: 0.25, tremorSemitones: 0.8, pauses: 1.6 } },
  'crying loudly':   { sound: 'cry', delivery: { pitchSemitones: 3, pitchRange: 1.25, levelDb: 2, effort: 0.4, rate: 0.82, breath: 0.15, tremorSemitones: 1, pauses: 1.5 } },
  sighing:           { sound: 'sigh', delivery: { pitchSemitones: -0.8, pitchRange: 0.85, pitchSlopeSemitones: -1, levelDb: -1.5, effort: -0.3, rate: 0.92, breath: 0.1 } },
  groaning:          { sound: 'groan', delivery: { pitchSemitones: -1.2, pitchRange: 0.8, effort: 0.1, rate: 0.88 } },
  moaning:           { sound: 'moan', delivery: { pitchSemitones: 0.5, pitchRange: 0.85, levelDb: -1, rate: 0.86, breath: 0.15, tremorSemitones: 0.3 } },
  panting:           { sound: 'pant', delivery: { pitchSemitones: 1, levelDb: -0.5, rate: 1.05, breath: 0.3, pauses: 1.5 } },
  gasping:           { sound: 'gasp', delivery: { pitchSemitones: 1.5, pitchRange: 1.2, breath: 0.2 } },
  yawning:           { sound: 'yawn', delivery: { pitchSemitones: -1.2, pitchRange: 0.7, levelDb: -1.5, effort: -0.4, rate: 0.82, breath: 0.15 } },
  snoring:           { sound: 'snore' },
  'clear throat':    { sound: 'clear-throat' },
  breath:            { sound: 'inhale' },
  inhale:            { sound: 'inhale' },
  exhale:            { sound: 'exhale' },
  cough:             { sound: 'cough' },
  'lip-smacking':    { sound: 'lip-smack' },
  tsk:               { sound: 'tsk' },
  'audience laughing': { sound: 'audience-laughter' },
};

/** Seconds of silence, added to the pause of the punctuation. */
const PAUSES: Readonly<Record<string, number>> = {
  'short pause': 0.3,
  break: 0.5,
  pause: 0.5,
  'long-break': 1.2,
  'long pause': 1.2,
};

/** Supported by engines trained on both accents. No effect on other languages. */
const ACCENTS: Readonly<Record<string, EnglishAccentName>> = {
  'british accent': 'en-GB',
  'american accent': 'en-US',
};

/** Every cue by its name. `cue-words.ts` has the synonyms. */
export const CUES: ReadonlyMap<string, Cue> = new Map<string, Cue>([
  ...Object.entries(EMOTIONS).map(([name, delivery]) => [name, { kind: 'emotion', delivery }] as const),
  ...Object.entries(TONES).map(([name, delivery]) => [name, { kind: 'tone', delivery }] as const),
  ...Object.entries(SOUNDS).map(([name, sound]) => [name, { kind: 'sound', ...sound }] as const),
  ...Object.entries(PAUSES).map(([name, pauseSeconds]) => [name, { kind: 'pause', pauseSeconds }] as const),
  ...Object.entries(ACCENTS).map(([name, accent]) => [name, { kind: 'accent', accent }] as const),
  ['emphasis', { kind: 'word', delivery: EMPHASIS.moderate }],
]);

/** Acoustic difference between a sentence with a cue and the same sentence without it. */
export interface CueEffect {
  readonly pitchSemitones?: number;
  readonly pitchRange?: number;
  readonly levelDb?: number;
  readonly brightnessDb?: number;
  readonly rate?: number;
  /** Maximum voiced fraction of the audio. */
  readonly voicedShareMax?: number;
  /** Increase of the longest pause. */
  readonly pauseSeconds?: number;
}

/**
 * Minimum effects that `npm run acting` requires, in the direction of the number (for factors: away from 1). Lower
 * than the table rows, because the engine, the sentence and the limiter each reduce the effect.
 */
// biome-ignore format: one cue per line reads as a table
export const MINIMUM_CUE_EFFECTS: Readonly<Record<string, CueEffect>> = {
  happy:             { pitchSemitones: 1.2, pitchRange: 1.12, levelDb: 0.7, rate: 1.02 },
  sad:               { pitchSemitones: -1, pitchRange: 0.85, levelDb: -2, rate: 0.9 },
  angry:             { pitchSemitones: 1, pitchRange: 1.12, levelDb: 1.8, brightnessDb: 2, rate: 1.04 },
  excited:           { pitchSemitones: 2, pitchRange: 1.15, levelDb: 2, rate: 1.08 },
  calm:              { pitchSemitones: -0.6, pitchRange: 0.92, levelDb: -0.8, rate: 0.94 },
  surprised:         { pitchSemitones: 2, pitchRange: 1.2, levelDb: 0.5 },
  scared:            { pitchSemitones: 2, levelDb: -0.7, rate: 1.06 },
  whispering:        { levelDb: -4, rate: 0.97, voicedShareMax: 0.1 },
  shouting:          { pitchSemitones: 2.5, levelDb: 2.5, brightnessDb: 2.5 },
  'soft tone':       { levelDb: -3, brightnessDb: -1.5, rate: 0.97 },
  'in a hurry tone': { rate: 1.2 },
  break:             { pauseSeconds: 0.4 },
};
