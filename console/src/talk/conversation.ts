import { type Microphone, openMicrophone } from '../audio/microphone.ts';
import { PcmDecoder, PcmPlayer, SAMPLE_RATE_HZ } from '../audio/pcm-player.ts';
import { toPcm16 } from '../audio/wav.ts';
import { isOffline, mynah } from '../lib/api.ts';
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
  /** The connection of the microphone is lost and opened again. */
  readonly isReconnecting: boolean;
  readonly partial: string;
  readonly turns: readonly Turn[];
  readonly log: readonly LogEntry[];
  readonly trace: AnswerTrace;
  readonly error: unknown;
}

/** Times of the last answer in milliseconds after the end of what was said. */
export interface AnswerTrace {
  /** The first text of the answer. */
  readonly textMs?: number | undefined;
  /** The first audio of the answer. */
  readonly audioMs?: number | undefined;
}

export interface ConversationOptions {
  readonly voiceId: string | undefined;
  readonly model: string;
  readonly chat: ChatServer | undefined;
}

const LOG_MAX = 200;
const RECONNECT_MS = 1000;
const EMPTY: ConversationState = {
  isListening: false,
  isSpeaking: false,
  isReconnecting: false,
  partial: '',
  turns: [],
  log: [],
  trace: {},
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
      while (!queue.isClosed) await this.#transcribe(request, queue);
    } catch (error) {
      this.#set({ error });
    } finally {
      this.stop();
    }
  }

  /** Transcribes until the microphone is closed or the connection breaks. Rejects when the server refuses. */
  async #transcribe(request: { readonly sample_rate: number }, queue: SampleQueue): Promise<void> {
    try {
      for await (const event of mynah.speechToText.live(request, queue.read())) {
        if (this.state.isReconnecting) this.#set({ isReconnecting: false });
        if (event.event === 'partial') this.#onPartial(event.text);
        else this.#onSegment(event.text);
      }
    } catch (error) {
      if (!isOffline(error) || queue.isClosed) throw error;
      // What was heard but not transcribed yet stays as a turn of its own.
      if (this.state.partial.trim() !== '') this.#addTurn('user', this.state.partial.trim());
      this.#log('connection lost, trying again');
      this.#set({ isReconnecting: true, partial: '' });
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
    }
  }

  stop(): void {
    this.#queue?.close();
    this.#microphone?.close();
    this.#microphone = undefined;
    if (this.state.isListening) this.#log('microphone closed');
    this.#set({ isListening: false, isReconnecting: false, partial: '' });
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
    this.#set({ trace: {}, error: undefined });
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
        this.#timeFirstText(this.#answerText(said, turn, abort.signal), saidAt),
        { signal: abort.signal },
      );
      this.#set({ isSpeaking: true });
      player.play(0);
      for await (const bytes of audio) {
        if (!hasAudio) {
          hasAudio = true;
          const audioMs = Math.round(performance.now() - saidAt);
          this.#log(`first audio after ${audioMs} ms`);
          this.#set({ trace: { ...this.state.trace, audioMs } });
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
      if (abort.signal.aborted) return;
      const turns = this.state.turns.filter(({ id, text }) => id !== turn.id || text !== '');
      this.#set({ error, turns, isSpeaking: false });
    }
  }

  async *#timeFirstText(texts: AsyncIterable<string>, saidAt: number): AsyncGenerator<string, void> {
    let isFirst = true;
    for await (const text of texts) {
      if (isFirst) this.#set({ trace: { textMs: Math.round(performance.now() - saidAt) } });
      isFirst = false;
      yield text;
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
