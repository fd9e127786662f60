import { readFile } from 'node:fs/promises';
import type { Language } from '../../../text/piece.ts';
import { kokoroTokens } from '../../phonemizer/tokens/kokoro-tokens.ts';
import { type CloneVector, movePitch, prosodyVoiceFor } from './clone-vector.ts';
import type { KokoroDecoder } from './decoder.ts';
import type { KokoroFront } from './front.ts';
import { NATIVE_VALUES } from './native-articulation.ts';
import type { Styles } from './styles.ts';

/** Languages that clones speak with the articulation of a native voice, and the sentence on which a clone is adapted. */
const ADAPTED: Partial<Record<Language, { readonly native: string; readonly carrier: string }>> = {
  fr: {
    native: 'small-decoder/native-fr.f32',
    carrier: 'la ʁˈɛn a ʁɑ̃dˈy yˈi fˈœj bʁˈyn ʃe lə kwafˈœʁ sə matˈɛ̃.',
  },
};

interface ArticulationParts {
  readonly front: Pick<KokoroFront, 'run'>;
  readonly decoder: Pick<KokoroDecoder, 'articulate'>;
  readonly styles: Pick<Styles, 'row'>;
  readonly tokenTable: ReadonlyMap<string, number>;
  /** Returns the path of a file among the assets. */
  readonly asset: (name: string) => string;
}

/** Adapts cloned voices to languages whose sounds they form badly. Each voice is adapted once. */
export class CloneArticulation {
  readonly #parts: ArticulationParts;
  readonly #adapted = new Map<Language, WeakMap<Float32Array, Promise<Float32Array>>>();

  constructor(parts: ArticulationParts) {
    this.#parts = parts;
  }

  /** The voice vector with which a clone speaks a language. */
  async decoderVoice(clone: CloneVector, language: Language): Promise<Float32Array> {
    if (ADAPTED[language] === undefined) return clone.decoderVoice;
    const voices = this.#adapted.get(language) ?? new WeakMap<Float32Array, Promise<Float32Array>>();
    this.#adapted.set(language, voices);
    let voice = voices.get(clone.decoderVoice);
    if (voice === undefined) {
      voice = this.#adapt(clone, language, ADAPTED[language]);
      voices.set(clone.decoderVoice, voice);
      voice.catch(() => voices.delete(clone.decoderVoice));
    }
    return voice;
  }

  async #adapt(
    clone: CloneVector,
    language: Language,
    { native, carrier }: { readonly native: string; readonly carrier: string },
  ): Promise<Float32Array> {
    const { front, decoder, styles, tokenTable, asset } = this.#parts;
    const { ids } = kokoroTokens(carrier, tokenTable);
    const prosody = prosodyVoiceFor(language, clone.medianHz);
    const style = await styles.row({ kind: 'named', name: prosody.name }, ids.length);
    const features = await front.run(ids, style, 1);
    const moved = { ...features, f0: movePitch(features.f0, prosody, clone) };
    const articulated = decoder.articulate?.(clone.decoderVoice, await readNative(asset(native)), moved);
    return articulated ?? clone.decoderVoice;
  }
}

async function readNative(path: string): Promise<Float32Array> {
  const bytes = await readFile(path);
  return Float32Array.from({ length: NATIVE_VALUES }, (_, index) => bytes.readFloatLE(4 * index));
}
