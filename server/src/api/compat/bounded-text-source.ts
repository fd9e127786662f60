import { ApiError } from '../../errors.ts';

/** A text by offsets, which may still grow. A string is one. */
export interface TextSource {
  readonly length: number;
  slice(from: number, to: number): string;
  /** The text before this offset is not needed any more. */
  discard?(before: number): void;
}

/** A text that arrives in parts, and of which only the part that is still needed is kept. */
export class BoundedTextSource implements TextSource {
  readonly #keptMax: number;
  /** Offset of the kept text. */
  #start = 0;
  #kept = '';

  /** `keptMax` is the maximum number of characters kept. */
  constructor({ keptMax }: { readonly keptMax: number }) {
    this.#keptMax = keptMax;
  }

  get length(): number {
    return this.#start + this.#kept.length;
  }

  /** Throws `text_too_long` when too much of the text is kept. */
  append(text: string): void {
    if (this.#kept.length + text.length > this.#keptMax) {
      throw new ApiError('text_too_long', 'Too much text is waiting for its times.');
    }
    this.#kept += text;
  }

  slice(from: number, to: number): string {
    return this.#kept.slice(Math.max(0, from - this.#start), Math.max(0, to - this.#start));
  }

  discard(before: number): void {
    const count = Math.min(Math.max(0, before - this.#start), this.#kept.length);
    this.#kept = this.#kept.slice(count);
    this.#start += count;
  }
}
