import { joinSamples } from '../../../audio/pcm.ts';
import type { AsrEngine, AsrResult, AsrWord, DecodedText } from '../../engines/asr-engine.ts';
import { ASR_SAMPLE_RATE_HZ } from '../../engines/asr-engine.ts';
import type { AsrTask, AsrTaskContext } from './asr-task.ts';
import { isHallucination, removeRepetitions } from './hallucination-guards.ts';
import type { SpeechSegment } from './segment-cutter.ts';

/** The transcription of a segment. Times are from the start of the recording. */
export interface TranscribedSegment {
  readonly text: string;
  readonly words: readonly AsrWord[];
  readonly language: string;
  readonly confidence: number;
}

/** Confidence from which a monolingual engine is assumed to have received its own language. */
const SAME_LANGUAGE_CONFIDENCE = 0.75;
/** Confidence below which the assumed language is checked. */
const DOUBTFUL_CONFIDENCE = 0.5;
/** Minimum probability of a detected language: usually, and when the confidence is below `DOUBTFUL_CONFIDENCE`. */
const CONFIDENT_LANGUAGE = 0.5;
const LIKELY_LANGUAGE = 0.4;
/** Speech at the end of a segment that no word covers, from which it is transcribed again. */
const MISSING_TAIL_SECONDS = 1.2;
const TAIL_TRIES = 3;
/** Speech of a segment from which an empty text is doubted. */
const RETRIED_SPEECH_SECONDS = 1;
/** Silence that is added to a segment without text before it is transcribed again. */
const RETRY_SILENCE_SECONDS = 0.25;
/** The only language that Whisper translates to. */
const TRANSLATION_LANGUAGE = 'en';
const WRITTEN_WITHOUT_SPACES = /^(zh|ja|th|lo|my|km|bo|yue)$/;

/** Transcribes the segments of one recording: detects the language, selects the engine and filters hallucinations. */
export class SegmentTranscriber {
  readonly #task: AsrTask;
  readonly #context: AsrTaskContext;
  /** The language of the recording; undefined until it is detected. */
  #language: string | undefined;
  /** The last text of the open segment. */
  #lastText:
    | { readonly startSeconds: number; readonly engine: string; readonly decoded: DecodedText | undefined }
    | undefined;

  constructor(task: AsrTask, context: AsrTaskContext) {
    this.#task = task;
    this.#context = context;
    this.#language = task.language;
  }

  /** The text of a segment; undefined when it contains no speech. */
  async transcribe(segment: SpeechSegment, signal: AbortSignal): Promise<TranscribedSegment | undefined> {
    if (segment.speechSeconds === 0) return undefined;
    const { engine, transcript } = await this.#transcribeInDetectedLanguage(segment, signal);
    const { confidence, noSpeech } = transcript;
    const language = this.#task.isTranslated ? TRANSLATION_LANGUAGE : transcript.language;
    const words = await this.#allWords(engine, segment, transcript, signal);
    const text = joinWords(words, language);
    if (isHallucination({ text, confidence, noSpeech, speechSeconds: segment.speechSeconds }))
      return undefined;
    return { text, words, language, confidence };
  }

  /** Interim text of an open segment, without word times and without language detection. */
  async transcribePartial(segment: SpeechSegment, signal: AbortSignal): Promise<string> {
    const engine = await this.#engineFor(this.#language);
    const { speechSeconds } = segment;
    const { text, confidence, noSpeech, decoded } = await engine.transcribe(segment.samples, {
      ...this.#options(signal),
      wordTimes: false,
      earlier: this.#earlierOf(segment, engine),
    });
    this.#keepText(segment, engine, decoded);
    return isHallucination({ text, confidence, noSpeech, speechSeconds }) ? '' : text;
  }

  /**
   * Transcribes a segment with the engine of its language. When the language is unknown, the preferred engine
   * transcribes first: a multilingual one detects the language itself, and high confidence of a monolingual one
   * confirms its language, which saves a detection of the same cost.
   */
  async #transcribeInDetectedLanguage(
    segment: SpeechSegment,
    signal: AbortSignal,
  ): Promise<{ engine: AsrEngine; transcript: AsrResult }> {
    const preferred = await this.#engineFor(this.#language);
    const isOfOneLanguage = preferred.languages.length === 1;
    if (this.#language === undefined && !isOfOneLanguage) {
      const transcript = await this.#transcribeFirst(preferred, segment, signal);
      if (transcript.languageProbability >= LIKELY_LANGUAGE) this.#language = transcript.language;
      return { engine: preferred, transcript };
    }
    const transcript = await this.#transcribeFirst(preferred, segment, signal);
    const assumed = this.#language ?? preferred.languages[0]!;
    const isConfident =
      transcript.confidence >=
      (this.#language === undefined ? SAME_LANGUAGE_CONFIDENCE : DOUBTFUL_CONFIDENCE);
    const first = { engine: preferred, transcript };
    if (isConfident) this.#language = assumed;
    // A language given by the client is final. The second engine is loaded only on low confidence.
    if (isConfident || this.#task.language !== undefined) return first;
    const second = await this.#multilingualEngine();
    if (second === undefined) return first;
    const guess = await this.#detect(segment, signal, transcript.confidence);
    // No text and no likely language: the segment contains no speech.
    if (guess === undefined && transcript.text === '') return first;
    if (second === preferred && (guess ?? assumed) === assumed) return first;
    // The language or the words may be wrong: the result with the higher confidence is used.
    const again = await this.#transcribe(second, segment.samples, signal, guess ?? assumed);
    if (again.confidence <= transcript.confidence) return first;
    this.#language = guess ?? this.#language;
    return { engine: second, transcript: again };
  }

  /**
   * Transcribes with the last text of the segment as a guess. Small engines end before the first word of some speech;
   * with a little more silence after it they do not.
   */
  async #transcribeFirst(engine: AsrEngine, segment: SpeechSegment, signal: AbortSignal): Promise<AsrResult> {
    const options = { ...this.#options(signal), wordTimes: true };
    const earlier = this.#earlierOf(segment, engine);
    let result = await engine.transcribe(segment.samples, { ...options, earlier });
    if (result.text === '' && segment.speechSeconds >= RETRIED_SPEECH_SECONDS) {
      const longer = withSilence(segment.samples, engine.maxSeconds);
      if (longer !== undefined) result = await engine.transcribe(longer, options);
    }
    this.#keepText(segment, engine, result.decoded);
    return result;
  }

  #earlierOf({ startSeconds }: SpeechSegment, { name }: AsrEngine): DecodedText | undefined {
    const last = this.#lastText;
    return last?.startSeconds === startSeconds && last.engine === name ? last.decoded : undefined;
  }

  #keepText({ startSeconds }: SpeechSegment, { name }: AsrEngine, decoded: DecodedText | undefined): void {
    this.#lastText = { startSeconds, engine: name, decoded };
  }

  /** The language of a segment, if its probability is high enough to replace the assumed one. */
  async #detect(
    segment: SpeechSegment,
    signal: AbortSignal,
    confidence: number,
  ): Promise<string | undefined> {
    const detector = await this.#multilingualEngine();
    const [best] = (await detector?.detectLanguage(segment.samples, signal)) ?? [];
    const least = confidence < DOUBTFUL_CONFIDENCE ? LIKELY_LANGUAGE : CONFIDENT_LANGUAGE;
    return best !== undefined && best.probability >= least ? best.language : undefined;
  }

  async #multilingualEngine(): Promise<AsrEngine | undefined> {
    for (const name of this.#task.engines) {
      const engine = await this.#context.engine(name);
      if (engine.languages.length > 1) return engine;
    }
    return undefined;
  }

  async #engineFor(language: string | undefined): Promise<AsrEngine> {
    for (const name of this.#task.engines) {
      const engine = await this.#context.engine(name);
      if (language === undefined || engine.languages.includes(language)) return engine;
    }
    return this.#context.engine(this.#task.engines.at(-1)!);
  }

  /** The words within the bounds of a segment, without repetitions, with a tail that the model omitted. */
  async #allWords(
    engine: AsrEngine,
    segment: SpeechSegment,
    first: AsrResult,
    signal: AbortSignal,
  ): Promise<readonly AsrWord[]> {
    const { startSeconds, ownFromSeconds, ownToSeconds } = segment;
    const isOwn = (word: AsrWord) => {
      const middle = middleOf(word);
      return middle >= ownFromSeconds && middle < ownToSeconds;
    };
    const words = removeRepetitions(first.words).map((word) => shiftWord(word, startSeconds));
    // The words of a translation are not in the order of the audio, so their end says nothing about its tail.
    const triesMax = this.#task.isTranslated ? 0 : TAIL_TRIES;
    for (let tries = 0; tries < triesMax; tries++) {
      const transcribedTo = words.at(-1)?.endSeconds ?? startSeconds;
      const speechTo = Math.min(segment.lastSpeechSeconds, ownToSeconds);
      if (words.length === 0 || speechTo - transcribedTo < MISSING_TAIL_SECONDS) break;
      const tail = segment.samples.subarray(Math.round((transcribedTo - startSeconds) * ASR_SAMPLE_RATE_HZ));
      const more = await this.#transcribe(engine, tail, signal, first.language);
      const found = removeRepetitions(more.words).map((word) => shiftWord(word, transcribedTo));
      const evidence = { ...more, speechSeconds: speechTo - transcribedTo };
      if (found.length === 0 || isHallucination(evidence) || more.confidence < DOUBTFUL_CONFIDENCE) break;
      words.push(...found);
    }
    // A tail that the first result contained occurs twice.
    return removeRepetitions(words).filter(isOwn);
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
    const { prompt, hotwords, isTranslated } = this.#task;
    return { language: this.#language, prompt, hotwords, isTranslated, signal };
  }
}

/** Minimum gap between words at which a segment is split, and minimum length of a part. */
const PART_AT_SECONDS = 0.3;
const PART_MIN_SECONDS = 1;

/** Splits a segment at its longer pauses: gaps between words and pauses found by voice activity detection. */
export function splitAtPauses(
  transcribed: TranscribedSegment,
  pausesSeconds: readonly number[],
): TranscribedSegment[] {
  const parts: AsrWord[][] = [];
  for (const word of transcribed.words) {
    const part = parts.at(-1);
    const last = part?.at(-1);
    if (part === undefined || last === undefined) parts.push([word]);
    else {
      const isLong = last.endSeconds - part[0]!.startSeconds >= PART_MIN_SECONDS;
      // Word times may extend into a pause; the centre of a word is on the correct side of it.
      const isPause = pausesSeconds.some((pause) => pause > middleOf(last) && pause <= middleOf(word));
      const isGap = word.startSeconds - last.endSeconds >= PART_AT_SECONDS;
      if (isLong && (isPause || isGap)) parts.push([word]);
      else part.push(word);
    }
  }
  return parts.map((words) => withWords(transcribed, words));
}

/** A part of a segment. */
export function withWords(transcribed: TranscribedSegment, words: readonly AsrWord[]): TranscribedSegment {
  return { ...transcribed, words, text: joinWords(words, transcribed.language) };
}

function middleOf({ startSeconds, endSeconds }: AsrWord): number {
  return (startSeconds + endSeconds) / 2;
}

function shiftWord(word: AsrWord, bySeconds: number): AsrWord {
  return {
    ...word,
    startSeconds: word.startSeconds + bySeconds,
    endSeconds: word.endSeconds + bySeconds,
  };
}

function joinWords(words: readonly AsrWord[], language: string): string {
  return words.map(({ text }) => text).join(WRITTEN_WITHOUT_SPACES.test(language) ? '' : ' ');
}

/** The samples with silence at their end, or undefined where an engine accepts no more. */
function withSilence(samples: Float32Array, maxSeconds: number): Float32Array | undefined {
  const silence = new Float32Array(RETRY_SILENCE_SECONDS * ASR_SAMPLE_RATE_HZ);
  const fits = samples.length + silence.length <= maxSeconds * ASR_SAMPLE_RATE_HZ;
  return fits ? joinSamples([samples, silence]) : undefined;
}
