import type { AsrEngine, AsrResult, AsrWord } from '../../engines/asr-engine.ts';
import { ASR_SAMPLE_RATE_HZ } from '../../engines/asr-engine.ts';
import type { AsrTask, AsrTaskContext } from './asr-task.ts';
import type { SpeechSegment } from './segment-cutter.ts';
import { isInvented, withoutLoop } from './text-guards.ts';

/** What was heard in a stretch. Times are from the start of the recording. */
export interface TranscribedSegment {
  readonly text: string;
  readonly words: readonly AsrWord[];
  readonly language: string;
  readonly confidence: number;
}

/** A model of one language that is so sure has heard its own language. */
const OWN_LANGUAGE_CONFIDENCE = 0.75;
/** Below this the language that was held so far is doubted. */
const DOUBTFUL_CONFIDENCE = 0.5;
/** A guess at the language that is trusted against doubt, and against great doubt. */
const SURE_LANGUAGE = 0.5;
const LIKELY_LANGUAGE = 0.4;
/** Speech at the end of a stretch that no word covers was lost. */
const LOST_TAIL_SECONDS = 1.2;
const TAIL_TRIES = 3;
const WRITTEN_WITHOUT_SPACES = /^(zh|ja|th|lo|my|km|bo|yue)$/;

/** Turns stretches of one recording into text: finds the language, chooses the engine, and doubts what it hears. */
export class SegmentTranscriber {
  readonly #job: AsrTask;
  readonly #context: AsrTaskContext;
  /** The language of the recording, as far as it is known. */
  #language: string | undefined;

  constructor(job: AsrTask, context: AsrTaskContext) {
    this.#job = job;
    this.#context = context;
    this.#language = job.language;
  }

  /** The text of a stretch; undefined when nobody said anything. */
  async hear(stretch: SpeechSegment, signal: AbortSignal): Promise<TranscribedSegment | undefined> {
    if (stretch.speechSeconds === 0) return undefined;
    const { engine, transcript } = await this.#inItsLanguage(stretch, signal);
    const { language, confidence, noSpeech } = transcript;
    const words = await this.#allWords(engine, stretch, transcript, signal);
    const text = joinWords(words, language);
    if (isInvented({ text, confidence, noSpeech, speechSeconds: stretch.speechSeconds })) return undefined;
    return { text, words, language, confidence };
  }

  /** A quick look at a stretch that goes on. */
  async glance(stretch: SpeechSegment, signal: AbortSignal): Promise<string> {
    const engine = await this.#engineFor(this.#language);
    const { text, confidence, noSpeech } = await engine.transcribe(stretch.samples, {
      ...this.#options(signal),
      wordTimes: false,
    });
    const { speechSeconds } = stretch;
    return isInvented({ text, confidence, noSpeech, speechSeconds }) ? '' : text;
  }

  /**
   * Hears a stretch with the engine of its language. When no language is known, the preferred engine listens
   * first: one of many languages finds it out by itself; one that is sure of its words was right about the language
   * too, and finding it out any other way costs as much again.
   */
  async #inItsLanguage(
    stretch: SpeechSegment,
    signal: AbortSignal,
  ): Promise<{ engine: AsrEngine; transcript: AsrResult }> {
    const preferred = await this.#engineFor(this.#language);
    const isOfOneLanguage = preferred.languages.length === 1;
    if (this.#language === undefined && !isOfOneLanguage) {
      const transcript = await this.#transcribe(preferred, stretch.samples, signal, undefined);
      if (transcript.languageProbability >= LIKELY_LANGUAGE) this.#language = transcript.language;
      return { engine: preferred, transcript };
    }
    const transcript = await this.#transcribe(preferred, stretch.samples, signal, this.#language);
    const held = this.#language ?? preferred.languages[0]!;
    const isSure =
      transcript.confidence >= (this.#language === undefined ? OWN_LANGUAGE_CONFIDENCE : DOUBTFUL_CONFIDENCE);
    const first = { engine: preferred, transcript };
    if (isSure) this.#language = held;
    // A client that named the language knows best. A second engine is loaded only when somebody doubts.
    if (isSure || this.#job.language !== undefined) return first;
    const second = await this.#multilingualEngine();
    if (second === undefined) return first;
    const guess = await this.#detect(stretch, signal, transcript.confidence);
    // Nobody heard a word, and no language is likely: there is nothing to hear.
    if (guess === undefined && transcript.text === '') return first;
    if (second === preferred && (guess ?? held) === held) return first;
    // Doubt may be about the language or about the words: who hears it better is believed.
    const again = await this.#transcribe(second, stretch.samples, signal, guess ?? held);
    if (again.confidence <= transcript.confidence) return first;
    this.#language = guess ?? this.#language;
    return { engine: second, transcript: again };
  }

  /** The language of a stretch, when the model is sure enough to doubt what was heard so far. */
  async #detect(
    stretch: SpeechSegment,
    signal: AbortSignal,
    confidence: number,
  ): Promise<string | undefined> {
    const detector = await this.#multilingualEngine();
    const [best] = (await detector?.detectLanguage(stretch.samples, signal)) ?? [];
    const least = confidence < DOUBTFUL_CONFIDENCE ? LIKELY_LANGUAGE : SURE_LANGUAGE;
    return best !== undefined && best.probability >= least ? best.language : undefined;
  }

  async #multilingualEngine(): Promise<AsrEngine | undefined> {
    for (const name of this.#job.engines) {
      const engine = await this.#context.engine(name);
      if (engine.languages.length > 1) return engine;
    }
    return undefined;
  }

  async #engineFor(language: string | undefined): Promise<AsrEngine> {
    for (const name of this.#job.engines) {
      const engine = await this.#context.engine(name);
      if (language === undefined || engine.languages.includes(language)) return engine;
    }
    return this.#context.engine(this.#job.engines.at(-1)!);
  }

  /** The words of a stretch that are its own, without loops, and with a tail that the model let go. */
  async #allWords(
    engine: AsrEngine,
    stretch: SpeechSegment,
    first: AsrResult,
    signal: AbortSignal,
  ): Promise<readonly AsrWord[]> {
    const { startSeconds, ownFromSeconds, ownToSeconds } = stretch;
    const isOwn = (word: AsrWord) => {
      const middle = middleOf(word);
      return middle >= ownFromSeconds && middle < ownToSeconds;
    };
    const words = withoutLoop(first.words).map((word) => moved(word, startSeconds));
    for (let tries = 0; tries < TAIL_TRIES; tries++) {
      const heardTo = words.at(-1)?.endSeconds ?? startSeconds;
      const speechTo = Math.min(stretch.lastSpeechSeconds, ownToSeconds);
      if (words.length === 0 || speechTo - heardTo < LOST_TAIL_SECONDS) break;
      const tail = stretch.samples.subarray(Math.round((heardTo - startSeconds) * ASR_SAMPLE_RATE_HZ));
      const more = await this.#transcribe(engine, tail, signal, first.language);
      const found = withoutLoop(more.words).map((word) => moved(word, heardTo));
      const evidence = { ...more, speechSeconds: speechTo - heardTo };
      if (found.length === 0 || isInvented(evidence) || more.confidence < DOUBTFUL_CONFIDENCE) break;
      words.push(...found);
    }
    // A tail that was heard after all comes out twice.
    return withoutLoop(words).filter(isOwn);
  }

  #transcribe(
    engine: AsrEngine,
    samples: Float32Array,
    signal: AbortSignal,
    language: string | undefined,
  ): Promise<AsrResult> {
    return engine.transcribe(samples, { ...this.#options(signal), language, wordTimes: true });
  }

  #options(signal: AbortSignal) {
    const { prompt, hotwords } = this.#job;
    return { language: this.#language, prompt, hotwords, signal };
  }
}

/** A pause between words at which a stretch is parted, and the least that is worth a part of its own. */
const PART_AT_SECONDS = 0.3;
const PART_MIN_SECONDS = 1;

/** Parts what was heard at its longer pauses: those between the words, and those that were heard as such. */
export function splitAtPauses(
  heard: TranscribedSegment,
  pausesSeconds: readonly number[],
): TranscribedSegment[] {
  const parts: AsrWord[][] = [];
  for (const word of heard.words) {
    const part = parts.at(-1);
    const last = part?.at(-1);
    if (part === undefined || last === undefined) parts.push([word]);
    else {
      const isLong = last.endSeconds - part[0]!.startSeconds >= PART_MIN_SECONDS;
      // Models let words reach into the pauses around them; their middles are on the right side.
      const isPause = pausesSeconds.some((pause) => pause > middleOf(last) && pause <= middleOf(word));
      const isGap = word.startSeconds - last.endSeconds >= PART_AT_SECONDS;
      if (isLong && (isPause || isGap)) parts.push([word]);
      else part.push(word);
    }
  }
  return parts.map((words) => ({ ...heard, words, text: joinWords(words, heard.language) }));
}

function middleOf({ startSeconds, endSeconds }: AsrWord): number {
  return (startSeconds + endSeconds) / 2;
}

function moved(word: AsrWord, bySeconds: number): AsrWord {
  return {
    ...word,
    startSeconds: word.startSeconds + bySeconds,
    endSeconds: word.endSeconds + bySeconds,
  };
}

function joinWords(words: readonly AsrWord[], language: string): string {
  return words.map(({ text }) => text).join(WRITTEN_WITHOUT_SPACES.test(language) ? '' : ' ');
}
