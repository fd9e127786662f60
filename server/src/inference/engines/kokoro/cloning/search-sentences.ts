import type { Language } from '../../../../text/piece.ts';
import { type CloneVector, movePitch, prosodyVoiceFor } from '../clone-vectors/clone-vector.ts';
import { type Features, sliceFeatures } from '../networks/features.ts';
import type { ProsodyText } from './text-features.ts';
import { TRIAL_FRAMES } from './trials.ts';

type SearchSentence = Pick<ProsodyText, 'language' | 'text'>;

const ENGLISH = [
  'They had been friends since the day they met on the boat.',
  'The rain stopped before noon, and the streets were dry again by one.',
  'What happened to the picture that used to hang above the fire?',
  'Our neighbours painted their whole house yellow in a single weekend.',
  'She chose the blue jacket because it was much warmer than the other one.',
  'Just give me a moment to think about what you said this morning.',
];
/** Sentences of a first voice. */
const FIRST: readonly SearchSentence[] = ENGLISH.map((text) => ({ language: 'en-US', text }));
/** Sentences of a refinement: a clone that is compared in English only is less similar in languages with other sounds. */
const THOROUGH: readonly SearchSentence[] = [
  { language: 'en-US', text: ENGLISH[0]! },
  { language: 'fr', text: 'La petite fille regarde la lune par la fenêtre de sa chambre.' },
  { language: 'it', text: 'La pioggia ha smesso prima di pranzo e le strade sono asciutte.' },
  { language: 'en-US', text: ENGLISH[1]! },
  { language: 'fr', text: 'Demain matin, nous prendrons le train pour aller voir la mer.' },
  { language: 'it', text: 'Mia sorella ha trovato una vecchia fotografia nel cassetto.' },
  { language: 'en-US', text: ENGLISH[2]! },
  { language: 'fr', text: 'Mon voisin a acheté un grand chien noir qui aboie souvent.' },
  { language: 'it', text: 'Domenica prossima andiamo tutti insieme a trovare gli zii.' },
];

/** The middle of a sentence, as a clone says it. */
export interface SpokenSentence {
  readonly language: Language;
  readonly features: Features;
}

/** The sentences that a search compares with a recording. Their features are computed once for low and once for high voices. */
export class SearchSentences {
  readonly #featuresOf: (texts: readonly ProsodyText[]) => Promise<readonly Features[]>;
  readonly #features = new Map<string, Promise<readonly Features[]>>();

  constructor(featuresOf: (texts: readonly ProsodyText[]) => Promise<readonly Features[]>) {
    this.#featuresOf = featuresOf;
  }

  /** Starts to compute the features for a clone of this pitch. Errors surface in `spokenBy`. */
  prepare(medianHz: number, options: { readonly isThorough: boolean }): void {
    this.#featuresFor(sentencesAt(medianHz, options), options).catch(() => {});
  }

  /** The sentences at the pitch of a clone. */
  async spokenBy(
    clone: CloneVector,
    options: { readonly isThorough: boolean },
  ): Promise<readonly SpokenSentence[]> {
    const sentences = sentencesAt(clone.medianHz, options);
    const features = await this.#featuresFor(sentences, options);
    return features.map((middle, index) => {
      const { language, prosody } = sentences[index]!;
      return { language, features: { ...middle, f0: movePitch(middle.f0, prosody, clone) } };
    });
  }

  #featuresFor(
    sentences: readonly ProsodyText[],
    { isThorough }: { readonly isThorough: boolean },
  ): Promise<readonly Features[]> {
    const key = `${isThorough} ${sentences[0]!.prosody.name}`;
    let features = this.#features.get(key);
    if (features === undefined) {
      features = this.#featuresOf(sentences).then((spoken) => spoken.map(middleOf));
      this.#features.set(key, features);
      features.catch(() => this.#features.delete(key));
    }
    return features;
  }
}

function sentencesAt(
  medianHz: number,
  { isThorough }: { readonly isThorough: boolean },
): readonly ProsodyText[] {
  return (isThorough ? THOROUGH : FIRST).map((sentence) => ({
    ...sentence,
    prosody: prosodyVoiceFor(sentence.language, medianHz),
  }));
}

/** The trial in the middle of a sentence. */
function middleOf(features: Features): Features {
  const from = Math.max(0, Math.floor((features.frames - TRIAL_FRAMES) / 2));
  return sliceFeatures(features, from, from + TRIAL_FRAMES);
}
