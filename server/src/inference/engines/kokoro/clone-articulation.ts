import type { Language } from '../../../text/piece.ts';
import { kokoroTokens } from '../../phonemizer/tokens/kokoro-tokens.ts';
import {
  ARTICULATED_LANGUAGES,
  type ArticulatedLanguage,
  readArticulation,
} from './clone-vectors/articulated-languages.ts';
import { type CloneVector, movePitch, prosodyVoiceFor } from './clone-vectors/clone-vector.ts';
import type { KokoroDecoder } from './decoders/decoder.ts';
import type { KokoroFront } from './front.ts';
import type { Styles } from './styles.ts';

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
    const articulated = ARTICULATED_LANGUAGES[language];
    if (articulated === undefined) return clone.decoderVoice;
    const voices = this.#adapted.get(language) ?? new WeakMap<Float32Array, Promise<Float32Array>>();
    this.#adapted.set(language, voices);
    let voice = voices.get(clone.decoderVoice);
    if (voice === undefined) {
      voice = this.#adapt(clone, language, articulated);
      voices.set(clone.decoderVoice, voice);
      voice.catch(() => voices.delete(clone.decoderVoice));
    }
    return voice;
  }

  async #adapt(
    clone: CloneVector,
    language: Language,
    articulated: ArticulatedLanguage,
  ): Promise<Float32Array> {
    const { front, decoder, styles, tokenTable, asset } = this.#parts;
    const { ids } = kokoroTokens(articulated.carrier, tokenTable);
    const prosody = prosodyVoiceFor(language, clone.medianHz);
    const style = await styles.row({ kind: 'named', name: prosody.name }, ids.length);
    const features = await front.run(ids, style, 1);
    const moved = { ...features, f0: movePitch(features.f0, prosody, clone) };
    const native = await readArticulation(articulated, asset);
    return decoder.articulate?.(clone.decoderVoice, native, moved) ?? clone.decoderVoice;
  }
}
