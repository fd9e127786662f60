import { ASR_SAMPLE_RATE_HZ } from '../../engines/asr-engine.ts';
import type { AsrEvent, AsrInput, AsrPartial, AsrTask, AsrTaskContext } from './asr-task.ts';
import { ChannelTranscriber, isSameSpeech } from './channel-transcriber.ts';
import type { SpeechSegment } from './segment-cutter.ts';

/** Short pauses give low latency. */
const LIVE_PAUSES = { early: 0.7, usual: 0.6, late: 0.3 };
const PROGRESS_EVERY_SECONDS = 1;
/** Minimum new audio between two partials. */
const PARTIAL_EVERY_SECONDS = 0.6;
/** Maximum fraction of the audio duration that is spent on partials. */
const PARTIAL_SHARE_MAX = 0.5;
/** Audio that has arrived is read before a partial begins, at most this much. */
const PARTIAL_DELAY_SECONDS_MAX = 1;
/** No partial begins in a pause of this length: it would delay the final text if the segment ends. */
const PAUSE_SECONDS = 0.1;

/** Transcribes a live stream. */
export async function* transcribeStream(
  context: AsrTaskContext,
  task: AsrTask,
  signal: AbortSignal,
): AsyncGenerator<AsrEvent> {
  const stream = new StreamTranscriber(await ChannelTranscriber.open(context, task, LIVE_PAUSES), signal);
  const input = new InputReader(context.input);
  try {
    for (;;) {
      // Audio is read while the open segment is transcribed, so that its end is detected without delay.
      if ((await stream.inferenceOr(input.arrival)) === 'inference') {
        yield* stream.takePartial();
        continue;
      }
      const { done, value } = await input.take();
      signal.throwIfAborted();
      if (done) break;
      yield* stream.push(value);
      await nextTurnOfEventLoop();
      stream.begin({ isInputWaiting: input.hasArrived });
    }
    yield* stream.finish();
  } finally {
    stream.stopInference();
    input.close();
  }
}

/** An inference of the open segment, which runs while audio is read. */
interface Inference {
  /** The segment, if its text is final should it end with the speech so far. */
  readonly likely: SpeechSegment | undefined;
  readonly abort: AbortController;
  /** Never rejects: `outcome` has the error. */
  readonly settled: Promise<void>;
  outcome: { readonly partial: AsrPartial | undefined } | { readonly error: unknown } | undefined;
}

class StreamTranscriber {
  readonly #transcriber: ChannelTranscriber;
  readonly #signal: AbortSignal;
  #inference: Inference | undefined;
  #seconds = 0;
  #reportedSeconds = 0;
  #nextPartialSeconds = 0;

  constructor(transcriber: ChannelTranscriber, signal: AbortSignal) {
    this.#transcriber = transcriber;
    this.#signal = signal;
  }

  /** Waits for the end of the inference in progress or for another event, and returns which one came. */
  async inferenceOr(event: Promise<void>): Promise<'inference' | 'event'> {
    if (this.#inference === undefined) await event;
    else await Promise.race([event, this.#inference.settled]);
    return this.#inference?.outcome === undefined ? 'event' : 'inference';
  }

  /** The result of the inference that has ended. */
  *takePartial(): Generator<AsrEvent> {
    const outcome = this.#inference?.outcome;
    this.#inference = undefined;
    if (outcome === undefined) return;
    if ('error' in outcome) throw outcome.error;
    if (outcome.partial !== undefined) yield outcome.partial;
  }

  async *push(samples: AsrInput): AsyncGenerator<AsrEvent> {
    if (samples !== 'flush') this.#seconds += samples.length / ASR_SAMPLE_RATE_HZ;
    const segments = samples === 'flush' ? this.#transcriber.flush() : await this.#transcriber.push(samples);
    yield* this.#transcribe(segments);
    if (this.#seconds >= this.#reportedSeconds + PROGRESS_EVERY_SECONDS) {
      this.#reportedSeconds = this.#seconds;
      yield { type: 'progress', processedSeconds: this.#seconds, fraction: 0 };
    }
    if (segments.length > 0) this.#nextPartialSeconds = this.#seconds + PARTIAL_EVERY_SECONDS;
  }

  async *finish(): AsyncGenerator<AsrEvent> {
    yield* this.#transcribe(await this.#transcriber.finish());
    yield { type: 'end', durationSeconds: this.#seconds };
  }

  /**
   * Begins to transcribe the open segment: as a final text in a pause that is likely to end it, otherwise as a partial
   * when the next one is due.
   */
  begin({ isInputWaiting }: { readonly isInputWaiting: boolean }): void {
    const likely = this.#transcriber.likelySegment();
    if (likely !== undefined) {
      if (this.#isInferring(likely) || this.#transcriber.hasAnticipated(likely)) return;
      this.stopInference();
      this.#run(likely, (signal) => this.#transcriber.anticipate(likely, signal));
      return;
    }
    if (this.#transcriber.pauseSeconds >= PAUSE_SECONDS) return;
    const delaySeconds = isInputWaiting ? PARTIAL_DELAY_SECONDS_MAX : 0;
    if (this.#inference !== undefined || this.#seconds < this.#nextPartialSeconds + delaySeconds) return;
    this.#run(undefined, (signal) => this.#transcriber.partial(signal));
  }

  stopInference(): void {
    this.#inference?.abort.abort();
    this.#inference = undefined;
  }

  async *#transcribe(segments: readonly SpeechSegment[]): AsyncGenerator<AsrEvent> {
    const [first] = segments;
    if (first === undefined) return;
    if (this.#isInferring(first)) {
      await this.#inference!.settled;
      this.takePartial().next();
    } else this.stopInference();
    yield* this.#transcriber.transcribe(segments, this.#signal);
  }

  /** Whether the inference in progress gives the final text of this segment. */
  #isInferring(segment: SpeechSegment): boolean {
    const likely = this.#inference?.likely;
    return likely !== undefined && isSameSpeech(likely, segment);
  }

  #run(
    likely: SpeechSegment | undefined,
    infer: (signal: AbortSignal) => Promise<AsrPartial | undefined>,
  ): void {
    const abort = new AbortController();
    const beganMs = performance.now();
    const beganSeconds = this.#seconds;
    const settled = infer(abort.signal).then(
      (partial) => {
        const tookSeconds = (performance.now() - beganMs) / 1000;
        const share = Math.max(PARTIAL_EVERY_SECONDS, tookSeconds / PARTIAL_SHARE_MAX);
        this.#nextPartialSeconds = Math.max(this.#nextPartialSeconds, beganSeconds + share);
        inference.outcome = { partial };
      },
      (error: unknown) => {
        inference.outcome = { error };
      },
    );
    const inference: Inference = { likely, abort, settled, outcome: undefined };
    this.#inference = inference;
  }
}

/** Reads one input ahead. */
class InputReader {
  readonly #iterator: AsyncIterator<AsrInput>;
  #next: Promise<IteratorResult<AsrInput>>;
  #hasArrived = false;

  constructor(input: AsyncIterable<AsrInput>) {
    this.#iterator = input[Symbol.asyncIterator]();
    this.#next = this.#read();
  }

  /** Whether an input can be taken without a wait. */
  get hasArrived(): boolean {
    return this.#hasArrived;
  }

  /** Resolves when an input can be taken. Never rejects. */
  get arrival(): Promise<void> {
    return this.#next.then(
      () => {},
      () => {},
    );
  }

  async take(): Promise<IteratorResult<AsrInput>> {
    const result = await this.#next;
    if (!result.done) this.#next = this.#read();
    return result;
  }

  /** Does not wait: the end of an iterator waits for its next value. */
  close(): void {
    void this.#iterator.return?.().catch(() => {});
  }

  #read(): Promise<IteratorResult<AsrInput>> {
    this.#hasArrived = false;
    const next = this.#iterator.next();
    const arrive = () => {
      this.#hasArrived = true;
    };
    next.then(arrive, arrive);
    return next;
  }
}

/** Inputs that have arrived are noticed after this. */
function nextTurnOfEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
