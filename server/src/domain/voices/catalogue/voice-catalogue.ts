import { ApiError } from '../../../errors.ts';
import type { Voice } from '../voice.ts';

/** The built-in and installed voices. */
export interface VoiceCatalogue {
  /** The listed voices, in the order of lists. */
  list(): readonly Voice[];
  /** Finds a voice by id, name or unique title, case-insensitive. */
  resolve(idOrName: string): Voice | undefined;
  /** Similar names, nearest first. */
  suggest(name: string): readonly string[];
}

/** Creates a catalogue. Throws when two voices share a name or an id. */
export function createVoiceCatalogue(voices: readonly Voice[]): VoiceCatalogue {
  const byKey = new Map<string, Voice>();
  for (const voice of voices) {
    for (const key of [voice.id, voice.name.toLowerCase()]) {
      if (byKey.has(key)) throw new Error(`Two voices share the name or id ${key}.`);
      byKey.set(key, voice);
    }
  }
  const byTitle = uniqueByTitle(voices);
  const listed = voices.filter((voice) => voice.isListed);

  return {
    list: () => listed,
    resolve(idOrName) {
      const key = idOrName.trim().toLowerCase();
      return byKey.get(key) ?? byTitle.get(key);
    },
    suggest(name) {
      const query = name.trim().toLowerCase();
      if (query.length === 0 || query.length > 64) return [];
      const distanceMax = Math.max(1, Math.floor(query.length / 3));
      return listed
        .map((voice) => ({
          name: voice.name,
          distance: Math.min(
            editDistance(query, voice.name.toLowerCase()),
            editDistance(query, voice.title.toLowerCase()),
          ),
        }))
        .filter(({ distance }) => distance <= distanceMax)
        .sort((a, b) => a.distance - b.distance)
        .slice(0, 3)
        .map((candidate) => candidate.name);
    },
  };
}

/** Finds a voice. Throws `voice_not_found` with similar names. */
export function requireVoice(catalogue: VoiceCatalogue, idOrName: string): Voice {
  const voice = catalogue.resolve(idOrName);
  if (voice !== undefined) return voice;
  const near = catalogue.suggest(idOrName);
  const hint = near.length > 0 ? `. Did you mean ${near.map((name) => `\`${name}\``).join(', ')}?` : '';
  throw new ApiError('voice_not_found', `Reference not found${hint}`);
}

function uniqueByTitle(voices: readonly Voice[]): ReadonlyMap<string, Voice> {
  const byTitle = new Map<string, Voice>();
  const shared = new Set<string>();
  for (const voice of voices) {
    const title = voice.title.toLowerCase();
    if (byTitle.has(title)) shared.add(title);
    byTitle.set(title, voice);
  }
  for (const title of shared) byTitle.delete(title);
  return byTitle;
}

/** Levenshtein distance. */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = previous[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, previous[column]! + 1, current[column - 1]! + 1));
    }
    previous = current;
  }
  return previous[b.length]!;
}
