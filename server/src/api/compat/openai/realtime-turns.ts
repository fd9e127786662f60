import { randomUUID } from 'node:crypto';
import { AsyncQueue } from '../../../concurrency/async-queue.ts';
import { ApiError } from '../../../errors.ts';
import type {
  TranscriptionClientFrame,
  TranscriptionServerFrame,
} from '../../websocket/live-transcription-frames.ts';
import type { SocketBudget } from '../../websocket/socket-budgets.ts';
import { toRealtimeErrorBody } from './realtime-error.ts';
import type { RealtimeServerEvent } from './realtime-events.ts';

export interface RealtimeTurnsOptions {
  /** Serves a live transcription session with these frames. Resolves when it has ended. */
  readonly transcribe: (
    frames: () => AsyncGenerator<TranscriptionClientFrame>,
    onFrame: (frame: TranscriptionServerFrame) => void,
  ) => Promise<void>;
  /** The `request` of the `start` frame. */
  readonly startRequest: Readonly<Record<string, unknown>>;
  readonly budget: SocketBudget;
  readonly send: (...events: readonly RealtimeServerEvent[]) => void;
  /** Announces an item of the user. */
  readonly sendItem: (id: string) => void;
  readonly onSpeechStarted: () => void;
}

/** Maximum number of parts that wait for the session. Small parts take more memory than their audio. */
const INPUTS_MAX = 65_536;

type TurnInput = { readonly audio: Buffer } | 'flush';

/**
 * Turn detection of a realtime socket. The audio goes to one live transcription session, which ends a segment after a
 * pause. Each segment is a turn: an item of the user with its transcript.
 */
export class RealtimeTurns {
  readonly #options: RealtimeTurnsOptions;
  readonly #input = new AsyncQueue<TurnInput>(() => {});
  /** Audio that the session has not taken yet. */
  #queuedBytes = 0;
  #queuedInputs = 0;
  /** The item of the turn in progress. */
  #itemId: string | undefined;
  #hasEnded = false;
  #isDiscarded = false;

  constructor(options: RealtimeTurnsOptions) {
    this.#options = options;
    options
      .transcribe(
        () => this.#frames(),
        (frame) => this.#receive(frame),
      )
      .catch((error: unknown) => options.send({ type: 'error', error: toRealtimeErrorBody(error) }))
      .finally(() => this.#end());
  }

  /** Whether the session takes no more audio, for example after an error. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Adds audio that is counted in the budget. False when too many parts wait. */
  append(audio: Buffer): boolean {
    if (!this.#push({ audio })) return false;
    this.#queuedBytes += audio.length;
    return true;
  }

  /** Ends the turn in progress without waiting for a pause. False when too many parts wait. */
  commit(): boolean {
    return this.#push('flush');
  }

  /** Ends the session. The audio so far is transcribed. */
  close(): void {
    this.#input.end();
  }

  /** Ends the session without a transcript of the turn in progress. */
  discard(): void {
    this.#isDiscarded = true;
    this.#input.end();
  }

  #push(input: TurnInput): boolean {
    if (this.#queuedInputs >= INPUTS_MAX) return false;
    this.#queuedInputs += 1;
    this.#input.push(input);
    return true;
  }

  async *#frames(): AsyncGenerator<TranscriptionClientFrame> {
    yield { event: 'start', request: this.#options.startRequest };
    for await (const input of this.#input) {
      this.#queuedInputs -= 1;
      if (input === 'flush') {
        yield { event: 'flush' };
        continue;
      }
      yield { event: 'audio', audio: input.audio };
      this.#queuedBytes -= input.audio.length;
      this.#options.budget.release(input.audio.length);
    }
    yield { event: 'stop' };
  }

  #receive(frame: TranscriptionServerFrame): void {
    if (this.#isDiscarded) return;
    switch (frame.event) {
      case 'partial':
        this.#begin(frame.start);
        break;
      case 'segment':
        this.#complete(frame);
        break;
      case 'error':
        this.#options.send({
          type: 'error',
          error: toRealtimeErrorBody(new ApiError(frame.code, frame.error)),
        });
    }
  }

  #begin(startSeconds: number): string {
    if (this.#itemId !== undefined) return this.#itemId;
    const id = `item_${randomUUID()}`;
    this.#itemId = id;
    const audio_start_ms = toMs(startSeconds);
    this.#options.send({ type: 'input_audio_buffer.speech_started', item_id: id, audio_start_ms });
    this.#options.onSpeechStarted();
    return id;
  }

  #complete({ text, start, end }: Extract<TranscriptionServerFrame, { event: 'segment' }>): void {
    const id = this.#begin(start);
    this.#itemId = undefined;
    const { send, sendItem } = this.#options;
    const position = { item_id: id, content_index: 0 };
    send(
      { type: 'input_audio_buffer.speech_stopped', item_id: id, audio_end_ms: toMs(end) },
      { type: 'input_audio_buffer.committed', item_id: id, previous_item_id: null },
    );
    sendItem(id);
    send(
      { type: 'conversation.item.input_audio_transcription.delta', ...position, delta: text },
      {
        type: 'conversation.item.input_audio_transcription.completed',
        ...position,
        transcript: text,
        usage: { type: 'duration', seconds: Math.max(0, end - start) },
      },
    );
  }

  #end(): void {
    this.#hasEnded = true;
    this.#options.budget.release(this.#queuedBytes);
    this.#queuedBytes = 0;
  }
}

function toMs(seconds: number): number {
  return Math.round(seconds * 1000);
}
