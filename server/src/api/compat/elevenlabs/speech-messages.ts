import { ERRORS } from '../../../errors.ts';
import type { SpeechServerFrame } from '../../websocket/live-speech-frames.ts';
import { BoundedTextSource } from '../bounded-text-source.ts';
import { CharacterTimeline, type CharacterTimes } from '../character-times.ts';

/** Character times in milliseconds. */
interface WireAlignment {
  readonly chars: readonly string[];
  readonly charStartTimesMs: readonly number[];
  /** ElevenLabs' documentation spells this field in both ways. */
  readonly charDurationsMs: readonly number[];
  readonly charsDurationsMs: readonly number[];
}

interface WireAlignments {
  readonly alignment: WireAlignment;
  readonly normalizedAlignment: WireAlignment;
}

/** A server message. The protocol has no tag field. */
export type SpeechMessage =
  | ({ readonly audio?: string } & Partial<WireAlignments>)
  | { readonly error: string; readonly code: number }
  | { readonly isFinal: true };

export interface SpeechMessagesOptions {
  /** What character times are counted from; undefined for messages without times. */
  readonly timeOrigin: 'text' | 'message' | undefined;
  /** Maximum number of characters that wait for their times. */
  readonly textMaxChars: number;
}

/** Converts the frames of one text to messages of ElevenLabs' protocols. */
export class SpeechMessages {
  readonly #options: SpeechMessagesOptions;
  readonly #text: BoundedTextSource;
  readonly #timeline: CharacterTimeline;
  /** End of the characters whose times were sent. */
  #sentSeconds = 0;

  constructor(options: SpeechMessagesOptions) {
    this.#options = options;
    this.#text = new BoundedTextSource({ keptMax: options.textMaxChars });
    this.#timeline = new CharacterTimeline(this.#text);
  }

  /** Adds received text. Throws `text_too_long` when too much of it waits for its times. */
  addText(text: string): void {
    if (this.#options.timeOrigin !== undefined) this.#text.append(text);
  }

  /** The messages of a frame, each made when it is taken: a pause of the text can have many characters. */
  *encode(frame: SpeechServerFrame): Generator<SpeechMessage, void> {
    switch (frame.event) {
      case 'audio': {
        const { audio, alignment, content = '', chunk_seq = 0, chunk_audio_offset_sec = 0 } = frame;
        const timing = alignment && { alignment, content, chunk_seq, chunk_audio_offset_sec };
        const alignments = this.#toMessages(timing ? this.#timeline.add(timing) : []);
        const { value: first } = alignments.next();
        const base64 = Buffer.from(audio).toString('base64');
        yield { ...(base64 !== '' && { audio: base64 }), ...first };
        yield* alignments;
        break;
      }
      case 'error':
        yield { error: frame.error, code: ERRORS[frame.code].status };
        break;
      case 'finish':
        if (frame.reason === 'error') return;
        if (this.#options.timeOrigin !== undefined) yield* this.#toMessages(this.#timeline.finish());
        yield { isFinal: true };
    }
  }

  *#toMessages(spans: Iterable<CharacterTimes>): Generator<WireAlignments, undefined> {
    for (const span of spans) yield this.#toAlignments(span);
    return undefined;
  }

  #toAlignments(times: CharacterTimes): WireAlignments {
    const originSeconds = this.#options.timeOrigin === 'message' ? this.#sentSeconds : 0;
    this.#sentSeconds = times.endSeconds.at(-1) ?? this.#sentSeconds;
    const durations = times.startSeconds.map((start, index) =>
      toMs((times.endSeconds[index] ?? start) - start),
    );
    const alignment = {
      chars: times.characters,
      charStartTimesMs: times.startSeconds.map((start) => toMs(start - originSeconds)),
      charDurationsMs: durations,
      charsDurationsMs: durations,
    };
    return { alignment, normalizedAlignment: alignment };
  }
}

function toMs(seconds: number): number {
  return Math.round(seconds * 1000);
}
