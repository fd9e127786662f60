import { readFile } from 'node:fs/promises';
import type { Language, SpokenWord } from '../../text/piece.ts';
import type { EngineContext, SpeechPart, TtsEngine, Utterance, WordTime } from '../engine.ts';
import { type KokoroTokens, kokoroTokens, readKokoroTokenTable } from '../phonemes/kokoro-tokens.ts';
import type { PhonemizedText, Phonemizer } from '../phonemes/phonemizer.ts';
import type { DecodingJob, KokoroDecoder } from './decoder.ts';
import { FastDecoder } from './fast-decoder.ts';
import { FRAMES_PER_SECOND, SAMPLE_RATE_HZ } from './features.ts';
import { KokoroFront } from './front.ts';
import { CUT_VERSION, cutFront, cutStockDecoder } from './graph.ts';
import { StockDecoder } from './stock-decoder.ts';
import { Styles } from './styles.ts';
import { decodeInWindows } from './windows.ts';

const MODEL = 'kokoro-82m-q8';
const VOICES = 'kokoro-voices';
/** The model takes 512 tokens with the pads at both ends. */
const TOKENS_MAX = 510;
/** Silence the model speaks before the first and after the last sound; more of it is not worth decoding. */
const LEAD_FRAMES_KEPT = 3;
const TAIL_FRAMES_KEPT = 6;

/** Loads Kokoro with one of its two decoders. */
export async function loadKokoro(context: EngineContext, kind: 'fast' | 'stock'): Promise<TtsEngine> {
  const model = await context.file(MODEL, 'model.onnx');
  const frontPath = await context.derive(MODEL, 'front.onnx', CUT_VERSION, (path) => cutFront(model, path));
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
    front: await KokoroFront.open(frontPath, { threads }),
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
  }

  async *speak(utterance: Utterance, signal: AbortSignal): AsyncGenerator<SpeechPart> {
    const text = this.#parts.phonemizer.kokoro(utterance.words, utterance.language);
    const tokens = kokoroTokens(text.symbols, this.#parts.tokenTable);
    if (tokens.ids.length === 0) return;
    if (tokens.ids.length > TOKENS_MAX) {
      yield* this.#speakHalves(utterance, signal);
      return;
    }
    signal.throwIfAborted();
    const style = await this.#parts.styles.row(utterance.voice, tokens.ids.length);
    const front = await this.#parts.front.run(tokens.ids, style, utterance.speed);
    const range = audibleRange(front.tokenFrames);
    let wordTimes: WordTime[] | undefined = timeWords(text, tokens, front.tokenFrames, range);
    const job = this.#parts.decoder.begin({ features: front, style, seed: utterance.seed });
    for await (const samples of decodeInWindows(range, (from, to) =>
      decodeUnlessAborted(job, { from, to, signal }),
    )) {
      yield { samples, sampleRateHz: SAMPLE_RATE_HZ, ...(wordTimes && { wordTimes }) };
      wordTimes = undefined;
    }
  }

  /** The text front end keeps pieces short; this is for the rare one whose phonemes outgrow the model. */
  async *#speakHalves(utterance: Utterance, signal: AbortSignal): AsyncGenerator<SpeechPart> {
    const { words, seed } = utterance;
    const middle = Math.floor(words.length / 2);
    const [first, second] =
      words.length > 1 ? [words.slice(0, middle), words.slice(middle)] : splitWord(words[0]!);
    let seconds = 0;
    for (const [index, half] of [first, second].entries()) {
      const wordOffset = words.length > 1 ? index * middle : 0;
      const part = { ...utterance, words: half, seed: seed + index };
      const start = seconds;
      for await (const audio of this.speak(part, signal)) {
        const wordTimes = audio.wordTimes?.map((time) => ({
          wordIndex: time.wordIndex + wordOffset,
          startSeconds: time.startSeconds + start,
          endSeconds: time.endSeconds + start,
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

function decodeUnlessAborted(
  job: DecodingJob,
  { from, to, signal }: { from: number; to: number; signal: AbortSignal },
): Promise<Float32Array> {
  signal.throwIfAborted();
  return job.decode(from, to);
}

function splitWord(word: SpokenWord): [SpokenWord[], SpokenWord[]] {
  const middle = Math.ceil(word.text.length / 2);
  return [
    [{ ...word, text: word.text.slice(0, middle), after: '' }],
    [{ ...word, text: word.text.slice(middle), before: '' }],
  ];
}

/** The frames worth decoding: the model's own silence at both ends is cut to a breath. */
function audibleRange(tokenFrames: Int32Array): { from: number; to: number } {
  const frames = tokenFrames.reduce((sum, count) => sum + count, 0);
  return {
    from: Math.max(0, tokenFrames[0]! - LEAD_FRAMES_KEPT),
    to: frames - Math.max(0, tokenFrames.at(-1)! - TAIL_FRAMES_KEPT),
  };
}

/** When each word sounds, from the frames of its tokens. Words without a sound are left out. */
function timeWords(
  text: PhonemizedText,
  tokens: KokoroTokens,
  tokenFrames: Int32Array,
  range: { from: number; to: number },
): WordTime[] {
  const times: WordTime[] = [];
  let token = 0;
  // The first token's frames come after those of the pad in front of it.
  let frame = tokenFrames[0]!;
  for (const [wordIndex, span] of text.wordSpans.entries()) {
    let start: number | undefined;
    for (; token < tokens.ids.length && tokens.symbolIndex[token]! < span.end; token++) {
      if (tokens.symbolIndex[token]! >= span.start) start ??= frame;
      frame += tokenFrames[token + 1]!;
    }
    if (start === undefined) continue;
    times.push({
      wordIndex,
      startSeconds: (start - range.from) / FRAMES_PER_SECOND,
      endSeconds: (frame - range.from) / FRAMES_PER_SECOND,
    });
  }
  return times;
}
