import { ApiError } from '../../../errors.ts';
import type { Voice } from '../voice.ts';

/** All voices this server can speak with. */
export interface VoiceCatalogue {
  /** The listed voices, best first. */
  list(): readonly Voice[];
  /** Takes an id, a name, or a title that only one voice has. Case does not matter. */
  resolve(idOrName: string): Voice | undefined;
  /** Names that look like the given one, nearest first; empty when none does. */
  suggest(name: string): readonly string[];
}

/** Joins voices of several engines into one catalogue. Throws when two share a name or an id. */
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
      const wanted = name.trim().toLowerCase();
      if (wanted.length === 0 || wanted.length > 64) return [];
      const distanceMax = Math.max(1, Math.floor(wanted.length / 3));
      return listed
        .map((voice) => ({
          name: voice.name,
          distance: Math.min(
            editDistance(wanted, voice.name.toLowerCase()),
            editDistance(wanted, voice.title.toLowerCase()),
          ),
        }))
        .filter(({ distance }) => distance <= distanceMax)
        .sort((a, b) => a.distance - b.distance)
        .slice(0, 3)
        .map((candidate) => candidate.name);
    },
  };
}

/** The voice, or a refusal that says which names are near. */
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

/** Number of letters to insert, delete or replace to get from one text to the other. */
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
