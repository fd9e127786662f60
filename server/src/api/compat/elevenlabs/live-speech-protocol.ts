import { z } from 'zod';
import type { SpeechClientFrame, SpeechServerFrame } from '../../websocket/live-speech-frames.ts';
import type { LiveSpeechProtocol } from '../../websocket/live-speech-protocol.ts';
import { parseBody } from '../../wire/validation.ts';
import { parseJsonMessage } from '../parse-json-message.ts';
import { toVoiceFields, VoiceSettingsSchema } from './settings.ts';
import { SpeechMessages, type SpeechMessagesOptions } from './speech-messages.ts';

/** A client message. The server decides when to synthesize, so `generation_config` is ignored. */
const ClientMessageSchema = z.object({
  text: z.string().nullish(),
  voice_settings: VoiceSettingsSchema.nullish(),
  flush: z.boolean().nullish(),
  try_trigger_generation: z.boolean().nullish(),
});

/** ElevenLabs' `stream-input` protocol: the first message starts the only session, an empty text ends it. */
export class ElevenLabsSpeechProtocol implements LiveSpeechProtocol {
  readonly isSingleSession = true;
  readonly #body: Readonly<Record<string, unknown>>;
  readonly #messages: SpeechMessages;
  #hasStarted = false;

  constructor(body: Readonly<Record<string, unknown>>, options: SpeechMessagesOptions) {
    this.#body = body;
    this.#messages = new SpeechMessages(options);
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
      this.#messages.addText(text);
      frames.push({ event: 'text', text });
    }
    return flush || try_trigger_generation ? [...frames, { event: 'flush' }] : frames;
  }

  *encode(frame: SpeechServerFrame): Generator<string, void> {
    for (const message of this.#messages.encode(frame)) yield JSON.stringify(message);
  }
}
