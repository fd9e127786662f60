import { performance } from 'node:perf_hooks';
import { ApiError } from '../../errors.ts';
import type { LiveSpeech, SpeakRequest, SpeechService } from '../../speech/speech-service.ts';
import { AudioFrames } from './audio-frames.ts';
import type { FrameWriter } from './frame-writer.ts';
import type { ClientFrame } from './live-frames.ts';

/** What a client says within a session. */
export type InputFrame = Exclude<ClientFrame, { readonly event: 'start' }>;

/** A session's request, checked and let in. Whoever opens it must leave it. */
export interface Admitted {
  readonly request: SpeakRequest;
  /** The first audio is there. */
  begin(): void;
  leave(): void;
}

export interface LiveSessionOptions {
  readonly speech: Pick<SpeechService, 'speakLive'>;
  readonly writer: FrameWriter;
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
  #speech: LiveSpeech | undefined;
  /** What came before the session was let in. */
  #early: InputFrame[] = [];
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

  /** Takes what the client says. Throws an `ApiError` when too much text waits to be spoken. */
  take(frame: InputFrame): void {
    if (frame.event === 'stop') this.#hasStopped = true;
    if (frame.event === 'text') this.#report.characters += frame.text?.length ?? 0;
    if (this.#speech !== undefined) apply(frame, this.#speech);
    else if (this.#report.characters <= this.#options.bufferMaxChars) this.#early.push(frame);
    else throw new ApiError('text_too_long', 'Too much text came before the session could begin.');
  }

  /** Stops the engine. */
  abort(reason: unknown): void {
    this.#abort.abort(reason);
  }

  /** Speaks to the end and says that it has ended. Rejects with what went wrong. */
  async run(): Promise<void> {
    const { signal } = this.#abort;
    const admitted = await this.#options.admit(signal);
    try {
      this.#report.model = admitted.request.model;
      this.#report.characters += admitted.request.text.length;
      this.#speech = this.#options.speech.speakLive(admitted.request, signal);
      for (const frame of this.#early) apply(frame, this.#speech);
      this.#early = [];
      await this.#send(this.#speech, () => admitted.begin());
      await this.#options.writer.send({ event: 'finish', reason: 'stop', time: this.elapsedMs });
    } finally {
      admitted.leave();
      this.#abort.abort();
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

function apply(frame: InputFrame, speech: LiveSpeech): void {
  if (frame.event === 'text') speech.write(frame.text ?? '');
  else if (frame.event === 'flush') speech.flush();
  else speech.end();
}
