import { readFile } from 'node:fs/promises';
import type { Phonemizer } from '../../../domain/engines/phonemizer.ts';
import type {
  Insertion,
  SpeechPart,
  TtsEngine,
  TtsEngineContext,
  Utterance,
} from '../../../domain/engines/tts-engine.ts';
import type { Language, SpokenWord } from '../../../text/piece.ts';
import { traced } from '../../../tracing/tracing.ts';
import {
  type KokoroTokens,
  kokoroTokens,
  readKokoroTokenTable,
} from '../../phonemizer/tokens/kokoro-tokens.ts';
import { dropPrecedingWords } from '../../phonemizer/tokens/model-tokens.ts';
import { CloneArticulation } from './clone-articulation.ts';
import { movePitch, prosodyVoiceFor, readCloneVector } from './clone-vectors/clone-vector.ts';
import type { KokoroDecoder } from './decoders/decoder.ts';
import { FastDecoder } from './decoders/fast-decoder.ts';
import { SmallDecoder } from './decoders/small-decoder.ts';
import { StockDecoder } from './decoders/stock-decoder.ts';
import { type FrontResult, featuresFrom, type KokoroFront, loadFront } from './front.ts';
import { createLeveller } from './leveller.ts';
import { CUT_VERSION, cutStockDecoder, MODEL } from './networks/cut-graph.ts';
import { SAMPLE_RATE_HZ } from './networks/features.ts';
import { chooseOpening } from './opening.ts';
import { speakWithOpening } from './speak-opening.ts';
import { Styles } from './styles.ts';
import { planUtterance, renderUtterance, type UtterancePlan } from './utterance-plan.ts';
import { KokoroVocalSounds } from './vocal-sounds.ts';

const VOICES = 'kokoro-voices';
/** The model accepts 512 tokens including the pads at both ends. */
const TOKENS_MAX = 510;
/** At higher speeds the model drops words; faster speech is produced by time compression. */
const SPEED_MAX = 1.1;

/** Maximum speed of the front. An opening is read faster than `SPEED_MAX`, since its few words are predicted slower. */
const OPENING_SPEED_MAX = 1.2;

/** Phoneme count that selects the style row of vocal sounds alone; rows for very short texts are indistinct. */
const WORDLESS_STYLE_PHONEMES = 40;
const NO_SAMPLES = new Float32Array(0);
const SENTENCE_END = /[.!?…。！？]/;

/** Decoders of Kokoro: the small one, the first fast one, and its own. */
type DecoderKind = 'fast' | 'fast-v1' | 'stock';

const OPEN_DECODER: Readonly<Record<DecoderKind, (context: TtsEngineContext) => Promise<KokoroDecoder>>> = {
  fast: (context) => SmallDecoder.open((path) => context.asset(path)),
  'fast-v1': (context) => FastDecoder.open(context.asset('fast-decoder/decoder-int8.onnx'), context),
  stock: async (context) => {
    const model = await context.file(MODEL, 'model.onnx');
    const path = await context.derive(MODEL, 'stock-decoder.onnx', CUT_VERSION, (outPath) =>
      cutStockDecoder(model, outPath),
    );
    return StockDecoder.open(path, context);
  },
};

/** Loads Kokoro with one of its decoders. */
export async function loadKokoro(context: TtsEngineContext, kind: DecoderKind): Promise<TtsEngine> {
  const styles = await Styles.inFolder(await context.folder(VOICES));
  return new KokoroEngine({
    name: `kokoro-${kind}`,
    front: await loadFront(context),
    decoder: await OPEN_DECODER[kind](context),
    acceptsClones: kind === 'fast',
    styles,
    asset: (name) => context.asset(name),
    phonemizer: await context.phonemizer(),
    tokenTable: readKokoroTokenTable(await readFile(await context.file(VOICES, 'tokenizer.json'), 'utf8')),
  });
}

interface KokoroParts {
  readonly name: string;
  readonly front: KokoroFront;
  readonly decoder: KokoroDecoder;
  /** Whether the decoder accepts voice vectors of cloned voices. */
  readonly acceptsClones: boolean;
  readonly styles: Styles;
  /** Returns the path of a file among the assets. */
  readonly asset: (name: string) => string;
  readonly phonemizer: Phonemizer;
  readonly tokenTable: ReadonlyMap<string, number>;
}

/** The voice of an utterance, as front and decoder need it. */
interface SelectedVoice {
  readonly style: Float32Array;
  /** Vector of a cloned voice; undefined: the decoder derives it from the style. */
  readonly decoderVoice: Float32Array | undefined;
  /** Median pitch of a cloned voice. */
  readonly medianHz: number | undefined;
  /** The output of the front at the pitch of the voice. */
  readonly atItsPitch: (features: FrontResult) => FrontResult;
}

class KokoroEngine implements TtsEngine {
  readonly name: string;
  readonly sampleRateHz = SAMPLE_RATE_HZ;
  readonly capabilities;
  readonly languages: readonly Language[];
  readonly voices: readonly string[];
  readonly #parts: KokoroParts;
  readonly #vocalSounds: KokoroVocalSounds;
  readonly #articulation: CloneArticulation;

  constructor(parts: KokoroParts) {
    this.name = parts.name;
    this.voices = parts.styles.names;
    this.languages = parts.phonemizer.languages;
    this.capabilities = {
      speakerVectors: true,
      wordTimes: true,
      pitchAndEnergy: true,
      windowedDecoding: parts.decoder.contextFrames !== undefined,
    };
    this.#parts = parts;
    this.#vocalSounds = new KokoroVocalSounds(parts);
    this.#articulation = new CloneArticulation(parts);
  }

  async *speak(utterance: Utterance, signal: AbortSignal): AsyncGenerator<SpeechPart> {
    const { phonemizer, tokenTable, front, decoder } = this.#parts;
    const { words, language, insertions = [], seed, needsPhonemeTimes } = utterance;
    const context = wordsOfSameSentence(utterance.precedingWords ?? []);
    const phonemized = phonemizer.kokoro([...context, ...words], language);
    const allTokens = kokoroTokens(phonemized.symbols, tokenTable);
    if (allTokens.ids.length > TOKENS_MAX) {
      yield* context.length > 0
        ? this.speak({ ...utterance, precedingWords: [] }, signal)
        : this.#speakHalves(utterance, signal);
      return;
    }
    signal.throwIfAborted();
    const voice = await this.#selectVoice(utterance, allTokens.ids.length);
    const { style, decoderVoice, medianHz } = voice;
    const speed = Math.min(SPEED_MAX, utterance.speed);
    const compression = utterance.speed / speed;
    const { text, firstToken } = dropPrecedingWords(phonemized, allTokens.symbolIndex, context.length);
    const tokens = tokensFrom(allTokens, firstToken);
    const runFront = async (ids: readonly number[], rate: number) =>
      voice.atItsPitch(
        await traced('engine.front', () => front.run(ids, style, Math.min(OPENING_SPEED_MAX, speed * rate))),
      );
    const opening =
      mayBeginWithOpening(utterance, decoder) && context.length === 0 && compression === 1
        ? chooseOpening(phonemized.symbols, tokens)
        : undefined;
    if (opening !== undefined) {
      const decoderInput = { style, decoderVoice, seed };
      const leveller = createLeveller(utterance);
      const read = { opening, text, tokens, runFront, needsPhonemeTimes };
      yield* speakWithOpening({ ...read, decoder, decoderInput, leveller, signal });
      return;
    }
    const plan =
      tokens.ids.length > 0
        ? planUtterance(featuresFrom(await runFront(allTokens.ids, 1), firstToken), {
            utterance,
            text,
            tokens,
            style,
            decoderVoice,
            decoder,
            compression,
          })
        : planWithoutWords(insertions);
    // An empty part lets the scheduler serve other utterances before the first window is decoded.
    if (utterance.isLatencyCritical === false) yield { samples: NO_SAMPLES, sampleRateHz: SAMPLE_RATE_HZ };
    const sounds = { vocalSounds: this.#vocalSounds, style, decoderVoice, medianHz };
    yield* renderUtterance(plan, { ...sounds, seed }, signal);
  }

  /** A cloned voice has the style and the prosody of a Kokoro voice, moved to the pitch of the person. */
  async #selectVoice({ voice, language }: Utterance, tokenCount: number): Promise<SelectedVoice> {
    const { styles, acceptsClones } = this.#parts;
    const phonemes = tokenCount || WORDLESS_STYLE_PHONEMES;
    const clone = acceptsClones ? readCloneVector(voice) : undefined;
    if (clone === undefined) {
      return {
        style: await styles.row(voice, phonemes),
        decoderVoice: undefined,
        medianHz: undefined,
        atItsPitch: (features) => features,
      };
    }
    const prosody = prosodyVoiceFor(language, clone.medianHz);
    return {
      style: await styles.row({ kind: 'named', name: prosody.name }, phonemes),
      decoderVoice: await this.#articulation.decoderVoice(clone, language),
      medianHz: clone.medianHz,
      atItsPitch: (features) => ({ ...features, f0: movePitch(features.f0, prosody, clone) }),
    };
  }

  /** For the rare piece whose phonemes exceed the token limit of the model. */
  async *#speakHalves(utterance: Utterance, signal: AbortSignal): AsyncGenerator<SpeechPart> {
    let seconds = 0;
    for (const { part, wordOffset } of splitUtterance(utterance)) {
      const start = seconds;
      for await (const audio of this.speak(part, signal)) {
        const { endsDecoding: _, ...rest } = audio;
        const wordTimes = audio.wordTimes?.map((time) => ({
          ...shiftTimes(time, start),
          wordIndex: time.wordIndex + wordOffset,
          ...(time.phonemes && { phonemes: time.phonemes.map((phoneme) => shiftTimes(phoneme, start)) }),
        }));
        yield { ...rest, ...(wordTimes && { wordTimes }) };
        seconds += audio.samples.length / audio.sampleRateHz;
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#parts.front.close(), this.#parts.decoder.close()]);
  }
}

/** Only neutral speech begins with an opening: deliveries and insertions depend on the complete utterance. */
function mayBeginWithOpening(utterance: Utterance, { contextFrames }: KokoroDecoder): boolean {
  const { deliveries, insertions = [], isLatencyCritical } = utterance;
  const isNeutral = deliveries === undefined && insertions.length === 0;
  return isLatencyCritical === true && isNeutral && contextFrames !== undefined;
}

/** Context words are only worth their cost within a sentence; separate sentences are consistent without it. */
function wordsOfSameSentence(preceding: readonly SpokenWord[]): readonly SpokenWord[] {
  return SENTENCE_END.test(preceding.at(-1)?.after ?? '') ? [] : preceding;
}

function tokensFrom({ ids, symbolIndex }: KokoroTokens, first: number): KokoroTokens {
  return first === 0
    ? { ids, symbolIndex }
    : { ids: ids.slice(first), symbolIndex: symbolIndex.slice(first) };
}

/** The plan of an utterance of vocal sounds and pauses only. */
function planWithoutWords(insertions: readonly Insertion[]): UtterancePlan {
  return {
    windows: [],
    job: { decode: async () => new Float32Array(0) },
    leveller: undefined,
    stages: [],
    compression: 1,
    wordTimes: [],
    insertions: insertions.map(({ content }) => ({ frame: 0, content })),
  };
}

/** Splits an utterance in two; a single word is split at half its length. */
function splitUtterance(utterance: Utterance): { part: Utterance; wordOffset: number }[] {
  const { words, deliveries, insertions, seed } = utterance;
  const middle = Math.floor(words.length / 2);
  const halves: [SpokenWord[], SpokenWord[]] =
    words.length > 1 ? [words.slice(0, middle), words.slice(middle)] : splitWord(words[0]!);
  return halves.map((half, index) => {
    const isFirst = index === 0;
    const part: Utterance = {
      ...utterance,
      words: half,
      seed: seed + index,
      ...(deliveries && {
        deliveries:
          words.length === 1 || isFirst ? deliveries.slice(0, half.length) : deliveries.slice(middle),
      }),
      ...(insertions && {
        insertions: insertions
          .filter(({ wordIndex }) => wordIndex <= middle === isFirst)
          .map((insertion) => ({
            ...insertion,
            wordIndex: isFirst ? insertion.wordIndex : insertion.wordIndex - words.length + half.length,
          })),
      }),
    };
    return { part, wordOffset: isFirst ? 0 : middle };
  });
}

function splitWord(word: SpokenWord): [SpokenWord[], SpokenWord[]] {
  const middle = Math.ceil(word.text.length / 2);
  return [
    [{ ...word, text: word.text.slice(0, middle), after: '' }],
    [{ ...word, text: word.text.slice(middle), before: '' }],
  ];
}

function shiftTimes<Timed extends { readonly startSeconds: number; readonly endSeconds: number }>(
  timed: Timed,
  seconds: number,
): Timed {
  return { ...timed, startSeconds: timed.startSeconds + seconds, endSeconds: timed.endSeconds + seconds };
}
