import type { EnglishAccentName } from '../../../text/piece.ts';
import { combineDeliveries, type Delivery, intensify } from '../../engines/delivery.ts';
import type { DirectedRange } from './directed-range.ts';
import { type ResolvedCue, resolveCue } from './resolve-cue.ts';

/** What free-language instructions for a whole text mean. */
export interface Instructions {
  /** Names of the cues that are followed. */
  readonly cueNames: readonly string[];
  /** Number of sentences and lines, and of those without a cue that can be followed. */
  readonly partCount: number;
  readonly ignoredCount: number;
  readonly delivery: Partial<Delivery>;
  readonly accent: EnglishAccentName | undefined;
}

/** More cues would only average each other out. */
const CUES_MAX = 8;
const PART_END = /[.;!?\n\r。！？；]+/u;
const NEUTRAL = 'neutral';

/**
 * Finds the cues in instructions such as "Speak slowly, in a warm and reassuring tone." Emotions are averaged, because a
 * description often names one mood in several words; tones such as a whisper are combined. Vocal sounds, pauses and
 * emphasis have a position in a text and are ignored here.
 */
export function interpretInstructions(text: string): Instructions {
  const parts = text
    .split(PART_END)
    .map((part) => part.trim())
    .filter((part) => /\p{L}/u.test(part));
  const found = new Map<string, ResolvedCue>();
  const names = new Set<string>();
  let ignoredCount = 0;
  for (const part of parts) {
    const resolution = resolveCue(part);
    const cues = resolution === 'reset' ? [] : resolution.filter(isSustained);
    if (resolution === 'reset') names.add(NEUTRAL);
    else if (cues.length === 0) ignoredCount++;
    for (const cue of cues.slice(0, CUES_MAX - found.size)) {
      if (!found.has(cue.name)) found.set(cue.name, cue);
      names.add(cue.name);
    }
  }
  const cues = [...found.values()];
  return {
    cueNames: [...names],
    partCount: parts.length,
    ignoredCount,
    delivery: combine(cues),
    accent: cues.findLast(({ cue }) => cue.accent !== undefined)?.cue.accent,
  };
}

/** The instructions as directions for a text; none if there is nothing to follow. */
export function toDirections({ delivery, accent }: Instructions): readonly DirectedRange[] {
  if (Object.keys(delivery).length === 0 && accent === undefined) return [];
  return [{ start: 0, end: Number.POSITIVE_INFINITY, delivery, accent }];
}

function isSustained({ cue }: ResolvedCue): boolean {
  return cue.kind === 'emotion' || cue.kind === 'tone' || cue.kind === 'accent';
}

function combine(cues: readonly ResolvedCue[]): Partial<Delivery> {
  const emotions = cues.filter(({ cue }) => cue.kind === 'emotion');
  const tones = cues.filter(({ cue }) => cue.kind !== 'emotion' && cue.delivery !== undefined);
  if (emotions.length + tones.length === 0) return {};
  return combineDeliveries([
    ...emotions.map(({ cue, intensity }) => intensify(cue.delivery ?? {}, intensity / emotions.length)),
    ...tones.map(({ cue, intensity }) => intensify(cue.delivery ?? {}, intensity)),
  ]);
}
