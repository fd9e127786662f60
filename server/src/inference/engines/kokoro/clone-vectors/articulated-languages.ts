import { readFile } from 'node:fs/promises';
import type { Language } from '../../../../text/piece.ts';
import { NATIVE_VALUES, type NativeArticulation } from './native-articulation.ts';

/** A language that clones speak with the articulation of native voices. */
export interface ArticulatedLanguage {
  /** The asset with the values of the native voices. */
  readonly native: string;
  readonly shares: readonly number[];
  /** The sentence on which a clone is adapted, in phonemes. */
  readonly carrier: string;
}

/** Languages whose sounds clones of English recordings form badly. */
export const ARTICULATED_LANGUAGES: Partial<Record<Language, ArticulatedLanguage>> = {
  fr: {
    native: 'small-decoder/native-fr.f32',
    shares: [0.8, 0.4, 0.2],
    carrier: 'la ʁˈɛn a ʁɑ̃dˈy yˈi fˈœj bʁˈyn ʃe lə kwafˈœʁ sə matˈɛ̃.',
  },
  it: {
    native: 'small-decoder/native-it.f32',
    shares: [0.4, 0.2, 0.1],
    carrier: 'la pjˈɔʤːa a zmˈeSo prˈima dɪ prˈaŋʣo e le strˈade sˌono aʃˈutːe.',
  },
};

/** Reads the articulation of a language. `asset` returns the path of a file among the assets. */
export async function readArticulation(
  { native, shares }: ArticulatedLanguage,
  asset: (name: string) => string,
): Promise<NativeArticulation> {
  const bytes = await readFile(asset(native));
  const values = Float32Array.from({ length: NATIVE_VALUES }, (_, index) => bytes.readFloatLE(4 * index));
  return { values, shares };
}
