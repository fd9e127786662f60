import { ApiError } from '../../../errors.ts';
import type { Language } from '../../../text/piece.ts';
import type { FileStore } from '../file-store.ts';
import type { Voice } from '../voice.ts';

/** Synthesizes a short text as an MP3 file, for an account or, as for previews of built-in voices, for none. */
export type SpeakSample = (
  voice: Voice,
  options: { readonly text: string; readonly accountId: string | undefined },
  signal: AbortSignal,
) => Promise<AsyncIterable<Uint8Array>>;

export interface VoicePreviewsDeps {
  readonly files: FileStore;
  readonly speak: SpeakSample;
}

/** Spoken introductions of built-in voices. Synthesized on the first request and stored. */
export class VoicePreviews {
  readonly #deps: VoicePreviewsDeps;
  readonly #pending = new Map<string, Promise<string>>();

  constructor(deps: VoicePreviewsDeps) {
    this.#deps = deps;
  }

  /** The path of the audio file. Throws errors of the synthesis, or `engine_failed`. */
  async findPath(voice: Voice, signal: AbortSignal): Promise<string> {
    const name = `previews/${voice.id}.mp3`;
    const stored = await this.#deps.files.locate(name);
    if (stored !== undefined) return stored;
    // A concurrent request waits for the first one, and synthesizes the file itself when that one is aborted.
    const pending = this.#pending.get(name);
    if (pending !== undefined) return pending.catch(() => this.#create(voice, name, signal));
    const creation = this.#create(voice, name, signal).finally(() => this.#pending.delete(name));
    this.#pending.set(name, creation);
    return creation;
  }

  async #create(voice: Voice, name: string, signal: AbortSignal): Promise<string> {
    const { files, speak } = this.#deps;
    const text = previewText(voice);
    await files.write(name, await speakToFile(speak, voice, { text, accountId: undefined }, signal));
    const path = await files.locate(name);
    if (path === undefined) throw new Error('The preview of a voice was removed while it was stored.');
    return path;
  }
}

/** A complete MP3 file. Throws errors of the synthesis, or `engine_failed`. */
export async function speakToFile(
  speak: SpeakSample,
  ...[voice, options, signal]: Parameters<SpeakSample>
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of await speak(voice, options, signal)) parts.push(part);
  const file = Buffer.concat(parts);
  if (file.length === 0) throw new ApiError('engine_failed', 'The engine produced no audio.');
  return file;
}

/**
 * Text of the sample of a user's voice. It is free of charge, so it contains nothing that a client sent, such as the
 * title of the voice.
 */
export const SAMPLE_TEXT = 'Hello. Give me a page, and I will read it to you as if I had written it.';

/** Text of the preview of a built-in voice, in its language. */
export function previewText({ title, language }: Pick<Voice, 'title' | 'language'>): string {
  return (PREVIEW_TEXTS[language] ?? PREVIEW_TEXTS['en-US'])(title);
}

const english = (title: string) =>
  `Hello, I'm ${title}. Give me a page, and I will read it to you as if I had written it.`;
const PREVIEW_TEXTS: Partial<Record<Language, (title: string) => string>> &
  Record<'en-US', (title: string) => string> = {
  'en-US': english,
  'en-GB': english,
  es: (title) => `Hola, soy ${title}. Dame una página y te la leeré como si la hubiera escrito yo.`,
  fr: (title) =>
    `Bonjour, je suis ${title}. Donnez-moi une page, et je vous la lirai comme si je l'avais écrite.`,
  it: (title) => `Ciao, sono ${title}. Dammi una pagina e te la leggerò come se l'avessi scritta io.`,
  'pt-BR': (title) => `Olá, eu sou ${title}. Me dê uma página e eu a lerei como se a tivesse escrito.`,
  hi: () => 'नमस्ते। मुझे एक पन्ना दीजिए, और मैं उसे आपके लिए पढ़ दूँगी।',
  ja: () => 'こんにちは。一ページいただければ、心を込めてお読みします。',
  zh: () => '你好。给我一页文字，我会用心读给你听。',
};
