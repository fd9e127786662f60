import { type Microphone, openMicrophone } from '../audio/microphone.ts';
import { PcmDecoder, PcmPlayer, SAMPLE_RATE_HZ } from '../audio/pcm-player.ts';
import { toPcm16 } from '../audio/wav.ts';
import { mynah } from '../lib/api.ts';
import { type ChatMessage, type ChatServer, streamChat } from './chat.ts';
import { SampleQueue } from './sample-queue.ts';

export interface Turn {
  readonly id: number;
  readonly who: 'user' | 'server';
  readonly text: string;
}

export interface LogEntry {
  readonly id: number;
  readonly atMs: number;
  readonly text: string;
}

export interface ConversationState {
  readonly isListening: boolean;
  readonly isSpeaking: boolean;
  readonly partial: string;
  readonly turns: readonly Turn[];
  readonly log: readonly LogEntry[];
  /** From the end of what was said to the first audio of the answer. */
  readonly answerMs: number | undefined;
  readonly error: unknown;
}

export interface ConversationOptions {
  readonly voiceId: string | undefined;
  readonly model: string;
  readonly chat: ChatServer | undefined;
}

const LOG_MAX = 200;
const EMPTY: ConversationState = {
  isListening: false,
  isSpeaking: false,
  partial: '',
  turns: [],
  log: [],
  answerMs: undefined,
  error: undefined,
};

/** A spoken conversation: live transcription in, an echo or the answer of a chat server out. */
export class Conversation {
  state: ConversationState = EMPTY;
  options: ConversationOptions;
  readonly #onChange: (state: ConversationState) => void;
  #microphone: Microphone | undefined;
  #queue: SampleQueue | undefined;
  #player: PcmPlayer | undefined;
  #answer: AbortController | undefined;
  #lastId = 0;
  #startedAtMs = performance.now();

  constructor(options: ConversationOptions, onChange: (state: ConversationState) => void) {
    this.options = options;
    this.#onChange = onChange;
  }

  /** Opens the microphone and answers until `stop`. */
  async listen(): Promise<void> {
    this.#startedAtMs = performance.now();
    this.#set({ error: undefined });
    const queue = new SampleQueue();
    this.#queue = queue;
    try {
      this.#microphone = await openMicrophone((samples) =>
        queue.push(new Uint8Array(toPcm16(samples).buffer)),
      );
      this.#set({ isListening: true });
      this.#log('microphone open');
      const request = { sample_rate: this.#microphone.sampleRateHz };
      for await (const event of mynah.speechToText.live(request, queue.read())) {
        if (event.event === 'partial') this.#onPartial(event.text);
        else this.#onSegment(event.text);
      }
    } catch (error) {
      this.#set({ error });
    } finally {
      this.stop();
    }
  }

  stop(): void {
    this.#queue?.close();
    this.#microphone?.close();
    this.#microphone = undefined;
    if (this.state.isListening) this.#log('microphone closed');
    this.#set({ isListening: false, partial: '' });
  }

  /** Ends everything. */
  close(): void {
    this.stop();
    this.#interrupt();
  }

  /** Takes typed text as if it had been spoken. */
  say(text: string): void {
    this.#onSegment(text);
  }

  #onPartial(text: string): void {
    if (text.trim() !== '' && this.state.isSpeaking) {
      this.#log('interrupted');
      this.#interrupt();
    }
    this.#set({ partial: text });
  }

  #onSegment(text: string): void {
    const said = text.trim();
    this.#set({ partial: '' });
    if (said === '') return;
    this.#log(`heard: ${said}`);
    this.#addTurn('user', said);
    this.#interrupt();
    void this.#respond(said);
  }

  async #respond(said: string): Promise<void> {
    const abort = new AbortController();
    this.#answer = abort;
    const saidAt = performance.now();
    const turn = this.#addTurn('server', '');
    const player = new PcmPlayer();
    const decoder = new PcmDecoder();
    this.#player = player;
    let hasAudio = false;
    try {
      const { voiceId, model } = this.options;
      const audio = mynah.textToSpeech.convertRealtime(
        {
          model,
          format: 'pcm',
          sample_rate: SAMPLE_RATE_HZ,
          latency: 'low',
          ...(voiceId && { reference_id: voiceId }),
        },
        this.#answerText(said, turn, abort.signal),
        { signal: abort.signal },
      );
      this.#set({ isSpeaking: true });
      player.play(0);
      for await (const bytes of audio) {
        if (!hasAudio) {
          hasAudio = true;
          const answerMs = Math.round(performance.now() - saidAt);
          this.#log(`first audio after ${answerMs} ms`);
          this.#set({ answerMs });
        }
        player.append(decoder.decode(bytes));
      }
      player.complete();
      const stopWatching = player.subscribe(() => {
        if (player.isPlaying) return;
        stopWatching();
        if (this.#player === player) this.#set({ isSpeaking: false });
      });
      if (!player.isPlaying) this.#set({ isSpeaking: false });
    } catch (error) {
      if (!abort.signal.aborted) this.#set({ error, isSpeaking: false });
    }
  }

  async *#answerText(said: string, turn: Turn, signal: AbortSignal): AsyncGenerator<string, void> {
    const { chat } = this.options;
    if (chat === undefined) {
      this.#setTurn(turn.id, said);
      yield said;
      return;
    }
    let text = '';
    const messages = this.state.turns
      .filter((each) => each.text !== '')
      .map((each): ChatMessage => ({ role: each.who === 'user' ? 'user' : 'assistant', content: each.text }));
    for await (const part of streamChat(chat, messages, signal)) {
      text += part;
      this.#setTurn(turn.id, text);
      yield part;
    }
  }

  #interrupt(): void {
    this.#answer?.abort();
    this.#player?.pause();
    this.#player = undefined;
    this.#set({ isSpeaking: false });
  }

  #addTurn(who: Turn['who'], text: string): Turn {
    const turn = { id: ++this.#lastId, who, text };
    this.#set({ turns: [...this.state.turns, turn] });
    return turn;
  }

  #setTurn(id: number, text: string): void {
    this.#set({ turns: this.state.turns.map((turn) => (turn.id === id ? { ...turn, text } : turn)) });
  }

  #log(text: string): void {
    const entry = { id: ++this.#lastId, atMs: Math.round(performance.now() - this.#startedAtMs), text };
    this.#set({ log: [...this.state.log.slice(1 - LOG_MAX), entry] });
  }

  #set(part: Partial<ConversationState>): void {
    this.state = { ...this.state, ...part };
    this.#onChange(this.state);
  }
}
