import type { FileFormat } from './download-take.ts';

/** The settings of the playground, as they are stored in the browser. */
export interface PlaygroundSettings {
  readonly voiceId?: string | undefined;
  readonly secondVoiceId?: string | undefined;
  readonly isComparing: boolean;
  readonly model?: string | undefined;
  readonly speed: number;
  readonly volume: number;
  /** Format of downloads and of the code samples. */
  readonly format?: FileFormat | undefined;
}

export const DEFAULT_SETTINGS: PlaygroundSettings = { isComparing: false, speed: 1, volume: 0 };

const BYTES_PER_PRICE = 1_000_000;

/** UTF-8 bytes of a text, the unit that speech is charged by. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** The price of a text, where `price` is in US dollars per million bytes. */
export function priceOfText(text: string, price: number): number {
  return (bytesOf(text) * price) / BYTES_PER_PRICE;
}
