import { z } from 'zod';
import { ERRORS } from '../../../errors.ts';
import type { SpeechClientFrame, SpeechServerFrame } from '../../websocket/live-speech-frames.ts';
import type { LiveSpeechProtocol } from '../../websocket/live-speech-protocol.ts';
import { parseBody } from '../../wire/validation.ts';
import { BoundedTextSource } from '../bounded-text-source.ts';
import { CharacterTimeline, type CharacterTimes } from '../character-times.ts';
import { parseJsonMessage } from '../parse-json-message.ts';
import { toVoiceFields, VoiceSettingsSchema } from './settings.ts';

/** A client message. The server decides when to synthesize, so `generation_config` is ignored. */
const ClientMessageSchema = z.object({
  text: z.string().nullish(),
  voice_settings: VoiceSettingsSchema.nullish(),
  flush: z.boolean().nullish(),
  try_trigger_generation: z.boolean().nullish(),
});

/** Character times in milliseconds from the start of the session. */
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
type ServerMessage =
  | ({ readonly audio?: string } & Partial<WireAlignments>)
  | { readonly error: string; readonly code: number }
  | { readonly isFinal: true };

/** ElevenLabs' `stream-input` protocol: the first message starts the only session, an empty text ends it. */
export class ElevenLabsSpeechProtocol implements LiveSpeechProtocol {
  readonly isSingleSession = true;
  readonly #body: Readonly<Record<string, unknown>>;
  readonly #text: BoundedTextSource;
  readonly #timeline: CharacterTimeline;
  readonly #hasTimings: boolean;
  #hasStarted = false;

  constructor(
    body: Readonly<Record<string, unknown>>,
    options: {
      readonly hasTimings: boolean;
      /** Maximum number of characters that wait for their times. */
      readonly textMaxChars: number;
    },
  ) {
    this.#body = body;
    this.#hasTimings = options.hasTimings;
    this.#text = new BoundedTextSource({ keptMax: options.textMaxChars });
    this.#timeline = new CharacterTimeline(this.#text);
  }

  decode(message: Buffer): readonly SpeechClientFrame[] {
    const { text, voice_settings, flush, try_trigger_generation } = parseBody(
      ClientMessageSchema,
      parseJsonMessage(message),
    );
    const frames: SpeechClientFrame[] = [];
    if (!this.#hasStarted) {
      this.#hasStarted = true;
      frames.push({ event: 'start', request: { ...this.#body, ...toVoiceFields(voice_settings) } });
      // The single space of the first message is not part of the text.
      if (text === ' ') return frames;
    }
    if (text === '') return [...frames, { event: 'stop' }];
    if (text) {
      if (this.#hasTimings) this.#text.append(text);
      frames.push({ event: 'text', text });
    }
    return flush || try_trigger_generation ? [...frames, { event: 'flush' }] : frames;
  }

  encode(frame: SpeechServerFrame): readonly string[] {
    return this.#toMessages(frame).map((message) => JSON.stringify(message));
  }

  #toMessages(frame: SpeechServerFrame): readonly ServerMessage[] {
    switch (frame.event) {
      case 'audio': {
        const { audio, alignment, content = '', chunk_seq = 0, chunk_audio_offset_sec = 0 } = frame;
        const times =
          alignment && this.#timeline.add({ alignment, content, chunk_seq, chunk_audio_offset_sec });
        const base64 = Buffer.from(audio).toString('base64');
        return [{ ...(base64 !== '' && { audio: base64 }), ...(times && toAlignments(times)) }];
      }
      case 'error':
        return [{ error: frame.error, code: ERRORS[frame.code].status }];
      case 'finish':
        return frame.reason === 'error' ? [] : [...this.#remainingTimes(), { isFinal: true }];
    }
  }

  #remainingTimes(): WireAlignments[] {
    const times = this.#hasTimings ? this.#timeline.finish() : undefined;
    return times ? [toAlignments(times)] : [];
  }
}

function toAlignments(times: CharacterTimes): WireAlignments {
  const toMs = (seconds: number) => Math.round(seconds * 1000);
  const durations = times.startSeconds.map((start, index) =>
    toMs((times.endSeconds[index] ?? start) - start),
  );
  const alignment = {
    chars: times.characters,
    charStartTimesMs: times.startSeconds.map(toMs),
    charDurationsMs: durations,
    charsDurationsMs: durations,
  };
  return { alignment, normalizedAlignment: alignment };
}
