import { performance } from 'node:perf_hooks';
import type { LiveSpeech, SpeechRequest, SpeechService } from '../../domain/speech/speech-service.ts';
import { ApiError } from '../../errors.ts';
import { AudioFramer } from './audio-frames.ts';
import type { FrameWriter } from './frame-writer.ts';
import type { LiveCharge } from './live-charge.ts';
import type { SpeechClientFrame } from './live-speech-frames.ts';
import type { SocketBudget } from './socket-budgets.ts';

/** A client frame within a session. */
export type SpeechInputFrame = Exclude<SpeechClientFrame, { readonly event: 'start' }>;

/** The validated request of a session that passed admission. Call `leave` when the session ends. */
export interface AdmittedSession {
  readonly request: SpeechRequest;
  readonly charge: Pick<LiveCharge, 'hold' | 'holdDictionary' | 'settle'>;
  /** Reports the first audio to admission. */
  begin(): void;
  /** Releases the place in admission. */
  leave(): void;
}

export interface LiveSpeechSessionOptions {
  readonly speech: Pick<SpeechService, 'speakLive'>;
  readonly writer: Pick<FrameWriter, 'send'>;
  /** Validates the request and waits for admission. */
  readonly admit: (signal: AbortSignal) => Promise<AdmittedSession>;
  readonly hasTimings: boolean;
  readonly bufferMaxChars: number;
  /** The unprocessed bytes of the socket. */
  readonly budget: Pick<SocketBudget, 'tryAdd' | 'release'>;
  /** Called after each audio frame. */
  readonly onSent: () => void;
}

/** Statistics of a session for the log. Contains no text. */
export interface SessionReport {
  model: string | undefined;
  characters: number;
  audioBytes: number;
  firstAudioMs: number | undefined;
  durationMs: number;
}

/** Maximum number of queued frames; consecutive texts count as one. */
const QUEUED_FRAMES_MAX = 10_000;

/** One session of live speech, from `start` to `finish`: synthesizes a text while it arrives. */
export class LiveSpeechSession {
  readonly #options: LiveSpeechSessionOptions;
  readonly #startedAtMs = performance.now();
  readonly #abort = new AbortController();
  readonly #report: SessionReport = {
    model: undefined,
    characters: 0,
    audioBytes: 0,
    firstAudioMs: undefined,
    durationMs: 0,
  };
  /** Received frames that are not processed yet: the price of a text is held before its synthesis. */
  readonly #queue: SpeechInputFrame[] = [];
  #queuedChars = 0;
  /** Whether text was received since the last flush. The request may contain text. */
  #hasTextToFlush = true;
  #wake: () => void = () => {};
  #hasStopped = false;
  /** Bytes of text and dictionary entries whose audio was sent. */
  #deliveredBytes = 0;
  /** Bytes of received text that is not spoken yet. */
  #budgetBytes = 0;

  constructor(options: LiveSpeechSessionOptions) {
    this.#options = options;
  }

  /** Whether the client has sent `stop`. */
  get hasStopped(): boolean {
    return this.#hasStopped;
  }

  get elapsedMs(): number {
    return Math.round(performance.now() - this.#startedAtMs);
  }

  get report(): SessionReport {
    return { ...this.#report, durationMs: this.elapsedMs };
  }

  /** Queues a frame of the client. Throws `text_too_long` when the queue exceeds its limit. */
  receive(frame: SpeechInputFrame): void {
    if (frame.event === 'stop') this.#hasStopped = true;
    if (frame.event === 'text') {
      const length = frame.text?.length ?? 0;
      if (length === 0) return;
      this.#report.characters += length;
      this.#queuedChars += length;
      if (this.#queuedChars > this.#options.bufferMaxChars) {
        throw new ApiError('text_too_long', 'Too much text is waiting for synthesis.');
      }
      this.#addToBudget(Buffer.byteLength(frame.text ?? ''));
    }
    this.#enqueue(frame);
    this.#wake();
  }

  /** Counts text until it is spoken. */
  #addToBudget(bytes: number): void {
    if (!this.#options.budget.tryAdd(bytes)) {
      throw new ApiError('text_too_long', 'The WebSockets of the account hold too much text.');
    }
    this.#budgetBytes += bytes;
  }

  #releaseBudget(bytes: number): void {
    const released = Math.min(bytes, this.#budgetBytes);
    this.#budgetBytes -= released;
    this.#options.budget.release(released);
  }

  /** Joins texts, and drops a flush without text before it. */
  #enqueue(frame: SpeechInputFrame): void {
    if (frame.event === 'flush' && !this.#hasTextToFlush) return;
    this.#hasTextToFlush = frame.event === 'text';
    const last = this.#queue.at(-1);
    if (frame.event === 'text' && last?.event === 'text') {
      this.#queue[this.#queue.length - 1] = { event: 'text', text: `${last.text}${frame.text}` };
      return;
    }
    if (this.#queue.length >= QUEUED_FRAMES_MAX) {
      throw new ApiError('text_too_long', 'Too many frames are waiting for synthesis.');
    }
    this.#queue.push(frame);
  }

  /** Stops synthesis. */
  abort(reason: unknown): void {
    this.#abort.abort(reason);
    this.#wake();
  }

  /** Synthesizes the text to its end, settles the charge and sends `finish`. Rejects with the first error. */
  async run(): Promise<void> {
    try {
      await this.#run();
    } finally {
      this.#releaseBudget(this.#budgetBytes);
    }
    // Sent last, because the client may start another session when it receives this frame.
    await this.#options.writer.send({ event: 'finish', reason: 'stop', time: this.elapsedMs });
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    const admitted = await this.#options.admit(signal);
    const { request, charge } = admitted;
    try {
      this.#report.model = request.model;
      this.#report.characters += request.text.length;
      await charge.hold(request.text);
      const speech = this.#options.speech.speakLive(request, signal);
      await Promise.race([this.#processFrames(speech, charge), this.#send(speech, admitted)]);
      this.#deliveredBytes = Number.POSITIVE_INFINITY;
    } finally {
      this.#abort.abort();
      this.#wake();
      admitted.leave();
      await charge.settle(this.#deliveredBytes, voiceNamesOf(request));
    }
  }

  /** Processes frames in order. Never resolves: the session ends when the audio ends. */
  async #processFrames(speech: LiveSpeech, charge: AdmittedSession['charge']): Promise<never> {
    for (;;) {
      this.#abort.signal.throwIfAborted();
      const frame = this.#queue.shift();
      if (frame === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      } else if (frame.event === 'text') {
        const text = frame.text ?? '';
        await charge.hold(text);
        this.#queuedChars -= text.length;
        speech.write(text);
      } else if (frame.event === 'flush') speech.flush();
      else speech.end();
    }
  }

  async #send(speech: LiveSpeech, admitted: AdmittedSession): Promise<void> {
    const framer = new AudioFramer({ hasTimings: this.#options.hasTimings });
    for await (const timed of speech.body) {
      if (this.#report.firstAudioMs === undefined) {
        this.#report.firstAudioMs = this.elapsedMs;
        admitted.begin();
      }
      await admitted.charge.holdDictionary(speech.dictionaryBytes());
      for (const frame of framer.add(timed)) await this.#sendAudio(frame, speech);
    }
    for (const frame of framer.finish()) await this.#sendAudio(frame, speech);
  }

  async #sendAudio(frame: { readonly audio: Uint8Array }, speech: LiveSpeech): Promise<void> {
    this.#abort.signal.throwIfAborted();
    this.#report.audioBytes += frame.audio.length;
    const sent = this.#options.writer.send({ event: 'audio', ...frame, time: this.elapsedMs });
    // A client that disconnects while the frame is being sent may have received it.
    const deliveredBytes = speech.deliveredBytes();
    this.#releaseBudget(deliveredBytes - this.#deliveredBytes);
    this.#deliveredBytes = deliveredBytes;
    await sent;
    this.#options.onSent();
  }
}

/** The names of the voices, as usage records have them; empty for the default voice. */
function voiceNamesOf({ voice }: SpeechRequest): string {
  return [voice ?? []]
    .flat()
    .map(({ name }) => name)
    .join(', ');
}
