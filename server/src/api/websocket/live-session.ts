import { performance } from 'node:perf_hooks';
import type { LiveSpeech, SpeechRequest, SpeechService } from '../../domain/speech/speech-service.ts';
import { ApiError } from '../../errors.ts';
import { AudioFrames } from './audio-frames.ts';
import type { FrameWriter } from './frame-writer.ts';
import type { ClientFrame } from './live-frames.ts';
import type { LiveSale } from './live-sale.ts';

/** What a client says within a session. */
export type InputFrame = Exclude<ClientFrame, { readonly event: 'start' }>;

/** A session's request, checked and let in. Whoever opens it must leave it. */
export interface Admitted {
  readonly request: SpeechRequest;
  readonly sale: Pick<LiveSale, 'cover' | 'settle'>;
  /** The first audio is there. */
  begin(): void;
  leave(): void;
}

export interface LiveSessionOptions {
  readonly speech: Pick<SpeechService, 'speakLive'>;
  readonly writer: Pick<FrameWriter, 'send'>;
  /** Checks the request and waits for its turn. */
  readonly admit: (signal: AbortSignal) => Promise<Admitted>;
  readonly hasTimings: boolean;
  readonly bufferMaxChars: number;
  /** Called whenever something was sent. */
  readonly onSent: () => void;
}

/** How a session went, for the log. Nothing of what was said. */
export interface SessionReport {
  model: string | undefined;
  characters: number;
  audioBytes: number;
  firstAudioMs: number | undefined;
  durationMs: number;
}

/** One text that is spoken while it arrives: from `start` to `finish`. */
export class LiveSession {
  readonly #options: LiveSessionOptions;
  readonly #startedAtMs = performance.now();
  readonly #abort = new AbortController();
  readonly #report: SessionReport = {
    model: undefined,
    characters: 0,
    audioBytes: 0,
    firstAudioMs: undefined,
    durationMs: 0,
  };
  /** What came and was not obeyed yet: text is paid for before it is spoken. */
  readonly #waiting: InputFrame[] = [];
  #waitingChars = 0;
  #wake: () => void = () => {};
  #hasStopped = false;

  constructor(options: LiveSessionOptions) {
    this.#options = options;
  }

  /** The client has said that its text is complete. */
  get hasStopped(): boolean {
    return this.#hasStopped;
  }

  get elapsedMs(): number {
    return Math.round(performance.now() - this.#startedAtMs);
  }

  get report(): SessionReport {
    return { ...this.#report, durationMs: this.elapsedMs };
  }

  /** Takes what the client says. Throws an `ApiError` when too much text waits. */
  take(frame: InputFrame): void {
    if (frame.event === 'stop') this.#hasStopped = true;
    if (frame.event === 'text') {
      const length = frame.text?.length ?? 0;
      this.#report.characters += length;
      this.#waitingChars += length;
      if (this.#waitingChars > this.#options.bufferMaxChars) {
        throw new ApiError('text_too_long', 'Too much text waits to be spoken.');
      }
    }
    this.#waiting.push(frame);
    this.#wake();
  }

  /** Stops the engine. */
  abort(reason: unknown): void {
    this.#abort.abort(reason);
    this.#wake();
  }

  /** Speaks to the end, charges, and says that it has ended. Rejects with what went wrong. */
  async run(): Promise<void> {
    const { signal } = this.#abort;
    const admitted = await this.#options.admit(signal);
    const { request, sale } = admitted;
    let deliveredChars = () => 0;
    try {
      this.#report.model = request.model;
      this.#report.characters += request.text.length;
      await sale.cover(request.text);
      const speech = this.#options.speech.speakLive(request, signal);
      deliveredChars = speech.deliveredChars;
      await Promise.race([this.#obeyAll(speech, sale), this.#send(speech, () => admitted.begin())]);
      deliveredChars = () => this.#report.characters;
    } finally {
      this.#abort.abort();
      this.#wake();
      admitted.leave();
      await sale.settle(deliveredChars(), [request.voice].flat().join(', '));
    }
    // Last of all, because the client may begin another session at once.
    await this.#options.writer.send({ event: 'finish', reason: 'stop', time: this.elapsedMs });
  }

  /** Obeys one frame after the other. Never resolves: a session ends when its speech does. */
  async #obeyAll(speech: LiveSpeech, sale: Admitted['sale']): Promise<never> {
    for (;;) {
      this.#abort.signal.throwIfAborted();
      const frame = this.#waiting.shift();
      if (frame === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      } else if (frame.event === 'text') {
        const text = frame.text ?? '';
        await sale.cover(text);
        this.#waitingChars -= text.length;
        speech.write(text);
      } else if (frame.event === 'flush') speech.flush();
      else speech.end();
    }
  }

  async #send(speech: LiveSpeech, onAudio: () => void): Promise<void> {
    const frames = new AudioFrames({ hasTimings: this.#options.hasTimings });
    for await (const timed of speech.body) {
      if (this.#report.firstAudioMs === undefined) {
        this.#report.firstAudioMs = this.elapsedMs;
        onAudio();
      }
      for (const frame of frames.add(timed)) await this.#sendAudio(frame);
    }
    for (const frame of frames.finish()) await this.#sendAudio(frame);
  }

  async #sendAudio(frame: { readonly audio: Uint8Array }): Promise<void> {
    this.#report.audioBytes += frame.audio.length;
    await this.#options.writer.send({ event: 'audio', ...frame, time: this.elapsedMs });
    this.#options.onSent();
  }
}
