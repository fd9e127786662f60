import { Account } from './account.ts';
import { SpeechToText } from './speech-to-text.ts';
import { TextToSpeech } from './text-to-speech.ts';
import { type ClientOptions, Transport } from './transport.ts';
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
  readonly speechToText: SpeechToText;
  readonly voices: Voices;
  readonly account: Account;

  constructor(options: ClientOptions = {}) {
    const transport = new Transport(options);
    this.textToSpeech = new TextToSpeech(transport);
    this.speechToText = new SpeechToText(transport);
    this.voices = new Voices(transport);
    this.account = new Account(transport);
  }
}
