import { readFile } from 'node:fs/promises';
import type { Phonemizer } from '../../../domain/engines/phonemizer.ts';
import type {
  EngineContext,
  Insertion,
  SpeechPart,
  TtsEngine,
  Utterance,
} from '../../../domain/engines/tts-engine.ts';
import type { Language, SpokenWord } from '../../../text/piece.ts';
import {
  type KokoroTokens,
  kokoroTokens,
  readKokoroTokenTable,
} from '../../phonemizer/tokens/kokoro-tokens.ts';
import { ownTokens } from '../../phonemizer/tokens/model-tokens.ts';
import type { KokoroDecoder } from './decoder.ts';
import { FastDecoder } from './fast-decoder.ts';
import { SAMPLE_RATE_HZ } from './features.ts';
import { featuresFrom, type KokoroFront, loadFront } from './front.ts';
import { CUT_VERSION, cutStockDecoder, MODEL } from './graph.ts';
import { type Performance, perform, planPerformance } from './performance.ts';
import { KokoroSounds } from './sounds.ts';
import { StockDecoder } from './stock-decoder.ts';
import { Styles } from './styles.ts';

const VOICES = 'kokoro-voices';
/** The model takes 512 tokens with the pads at both ends. */
const TOKENS_MAX = 510;
/** Spoken any faster, the model swallows words; what a request asks beyond that is made of the finished speech. */
const SPEED_MAX = 1.1;

/** Sounds alone are made in the style of a text this long; that of the shortest is a mumble. */
const WORDLESS_PHONEMES = 40;
const NO_SAMPLES = new Float32Array(0);
const SENTENCE_END = /[.!?…。！？]/;

/** Loads Kokoro with one of its two decoders. */
export async function loadKokoro(context: EngineContext, kind: 'fast' | 'stock'): Promise<TtsEngine> {
  const model = await context.file(MODEL, 'model.onnx');
  const { threads } = context;
  const decoder =
    kind === 'fast'
      ? await FastDecoder.open(context.asset('fast-decoder/decoder-int8.onnx'), { threads })
      : await StockDecoder.open(
          await context.derive(MODEL, 'stock-decoder.onnx', CUT_VERSION, (path) =>
            cutStockDecoder(model, path),
          ),
          { threads },
        );
  const styles = await Styles.inFolder(await context.folder(VOICES));
  return new KokoroEngine({
    name: `kokoro-${kind}`,
    front: await loadFront(context),
    decoder,
    styles,
    phonemizer: await context.phonemizer(),
    tokenTable: readKokoroTokenTable(await readFile(await context.file(MODEL, 'tokenizer.json'), 'utf8')),
  });
}

interface KokoroParts {
  readonly name: string;
  readonly front: KokoroFront;
  readonly decoder: KokoroDecoder;
  readonly styles: Styles;
  readonly phonemizer: Phonemizer;
  readonly tokenTable: ReadonlyMap<string, number>;
}

class KokoroEngine implements TtsEngine {
  readonly name: string;
  readonly sampleRateHz = SAMPLE_RATE_HZ;
  readonly capabilities;
  readonly languages: readonly Language[];
  readonly voices: readonly string[];
  readonly #parts: KokoroParts;
  readonly #sounds: KokoroSounds;

  constructor(parts: KokoroParts) {
    this.name = parts.name;
    this.voices = parts.styles.names;
    this.languages = parts.phonemizer.languages;
    this.capabilities = {
      voiceAsVector: true,
      durations: true,
      pitchAndEnergy: true,
      windowedDecoding: parts.decoder.contextFrames !== undefined,
    };
    this.#parts = parts;
    this.#sounds = new KokoroSounds(parts);
  }

  async *speak(utterance: Utterance, signal: AbortSignal): AsyncGenerator<SpeechPart> {
    const { phonemizer, tokenTable, styles, front, decoder } = this.#parts;
    const { words, language, insertions = [] } = utterance;
    const before = sameSentence(utterance.precedingWords ?? []);
    const told = phonemizer.kokoro([...before, ...words], language);
    const toldTokens = kokoroTokens(told.symbols, tokenTable);
    if (toldTokens.ids.length > TOKENS_MAX) {
      yield* before.length > 0
        ? this.speak({ ...utterance, precedingWords: [] }, signal)
        : this.#speakHalves(utterance, signal);
      return;
    }
    signal.throwIfAborted();
    const style = await styles.row(utterance.voice, toldTokens.ids.length || WORDLESS_PHONEMES);
    const speed = Math.min(SPEED_MAX, utterance.speed);
    const compression = utterance.speed / speed;
    const { text, firstToken } = ownTokens(told, toldTokens.symbolIndex, before.length);
    const tokens = tokensFrom(toldTokens, firstToken);
    const performance =
      tokens.ids.length > 0
        ? planPerformance(featuresFrom(await front.run(toldTokens.ids, style, speed), firstToken), {
            ...{ utterance, text, tokens, style, decoder, compression },
          })
        : wordless(insertions);
    // Others take their turn before the first window is decoded.
    if (utterance.isLatencyCritical === false) yield { samples: NO_SAMPLES, sampleRateHz: SAMPLE_RATE_HZ };
    const voice = { sounds: this.#sounds, style, seed: utterance.seed };
    yield* perform(performance, voice, signal);
  }

  /** The text front end keeps pieces short; this is for the rare one whose phonemes outgrow the model. */
  async *#speakHalves(utterance: Utterance, signal: AbortSignal): AsyncGenerator<SpeechPart> {
    let seconds = 0;
    for (const { part, wordOffset } of splitUtterance(utterance)) {
      const start = seconds;
      for await (const audio of this.speak(part, signal)) {
        const wordTimes = audio.wordTimes?.map((time) => ({
          ...later(time, start),
          wordIndex: time.wordIndex + wordOffset,
          ...(time.phonemes && { phonemes: time.phonemes.map((phoneme) => later(phoneme, start)) }),
        }));
        yield { ...audio, ...(wordTimes && { wordTimes }) };
        seconds += audio.samples.length / audio.sampleRateHz;
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#parts.front.close(), this.#parts.decoder.close()]);
  }
}

/** Sentences come out alike by themselves; only inside of one it is worth its cost to tell what was said before. */
function sameSentence(before: readonly SpokenWord[]): readonly SpokenWord[] {
  return SENTENCE_END.test(before.at(-1)?.after ?? '') ? [] : before;
}

function tokensFrom({ ids, symbolIndex }: KokoroTokens, first: number): KokoroTokens {
  return first === 0
    ? { ids, symbolIndex }
    : { ids: ids.slice(first), symbolIndex: symbolIndex.slice(first) };
}

/** An utterance of sounds and pauses alone. */
function wordless(insertions: readonly Insertion[]): Performance {
  return {
    windows: [],
    job: { decode: async () => new Float32Array(0) },
    stages: [],
    compression: 1,
    wordTimes: [],
    insertions: insertions.map(({ content }) => ({ frame: 0, content })),
  };
}

/** Two halves of an utterance; a single word is cut in its middle. */
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

function later<Timed extends { readonly startSeconds: number; readonly endSeconds: number }>(
  timed: Timed,
  seconds: number,
): Timed {
  return { ...timed, startSeconds: timed.startSeconds + seconds, endSeconds: timed.endSeconds + seconds };
}
