import { Account } from './account.ts';
import { Admin } from './admin.ts';
import { Audiobooks } from './audiobooks.ts';
import { Console } from './console.ts';
import { Dictionaries } from './dictionaries.ts';
import { type ClientOptions, Transport } from './net/transport.ts';
import { SpeechToText } from './speech-to-text.ts';
import { TextToSpeech } from './text-to-speech.ts';
import type { CallOptions, Health } from './types/index.ts';
import { Voices } from './voices.ts';

/**
 * A client for a Mynah server.
 *
 * ```ts
 * const mynah = new Mynah({ apiKey: 'mynah_…', baseUrl: 'http://127.0.0.1:8080' });
 * const audio = await mynah.textToSpeech.convert({ text: 'Hello!' });
 * await audio.toFile('hello.mp3');
 * ```
 */
export class Mynah {
  readonly textToSpeech: TextToSpeech;
  readonly audiobooks: Audiobooks;
  readonly speechToText: SpeechToText;
  readonly voices: Voices;
  readonly account: Account;
  readonly dictionaries: Dictionaries;
  readonly admin: Admin;
  readonly console: Console;
  readonly #transport: Transport;

  constructor(options: ClientOptions = {}) {
    const transport = new Transport(options);
    this.#transport = transport;
    this.textToSpeech = new TextToSpeech(transport);
    this.audiobooks = new Audiobooks(transport);
    this.speechToText = new SpeechToText(transport);
    this.voices = new Voices(transport);
    this.account = new Account(transport);
    this.dictionaries = new Dictionaries(transport);
    this.admin = new Admin(transport);
    this.console = new Console(transport);
  }

  /** Returns the state of the server. */
  getHealth(options?: CallOptions): Promise<Health> {
    return this.#transport.json<Health>({ method: 'GET', path: '/v1/health' }, options);
  }
}
