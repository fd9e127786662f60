import { createHash } from 'node:crypto';

/** Duration for which a band is raised or lowered. */
export const SLOT_SECONDS = 0.04;
export const LOWEST_HZ = 1000;
export const BAND_HZ = 156.25;
export const BANDS = 32;

/** A chip is two slots of two bands, raised and lowered crosswise, so that a change of all four cancels out. */
export const CHIP_SLOTS = 2;
export const CHIP_BANDS = 2;
export const COLUMNS = BANDS / CHIP_BANDS;
/** Rows of chips in one period of the pattern. */
export const ROWS = 64;
const CHIPS = ROWS * COLUMNS;

/** A watermark number consists of `SYMBOLS` symbols with `SYMBOL_VALUES` values each. */
export const SYMBOLS = 4;
export const SYMBOL_VALUES = 16;
/** The count of different watermark numbers. */
export const WATERMARK_COUNT = SYMBOL_VALUES ** SYMBOLS;
/** The role of chips without a symbol: they are equal for all numbers and synchronise the detector to the period. */
export const SYNC = SYMBOLS;

const BYTES_PER_CHIP = 3;

/** The pseudo-random polarity of all chips, derived from a key. Indistinguishable from noise without the key. */
export class WatermarkPattern {
  /** The symbol of each chip, or `SYNC` for about half of them. */
  readonly roles: Uint8Array;
  /** The sync chips and their polarities. */
  readonly syncChips: readonly { readonly chip: number; readonly polarity: 1 | -1 }[];
  /** For each chip, one polarity bit per value of its symbol. */
  readonly #bits: Uint16Array;

  constructor(key: string) {
    const randomBytes = createHash('shake256', { outputLength: CHIPS * BYTES_PER_CHIP })
      .update(`mynah:watermark:1:${key}`)
      .digest();
    const roles = Array.from({ length: CHIPS }, (_, chip) => randomBytes.readUInt8(BYTES_PER_CHIP * chip));
    this.roles = Uint8Array.from(roles, (role) => (role & 1 ? SYNC : (role >> 1) % SYMBOLS));
    this.#bits = Uint16Array.from(roles, (_, chip) => randomBytes.readUInt16LE(BYTES_PER_CHIP * chip + 1));
    this.syncChips = [...this.roles.keys()]
      .filter((chip) => this.roles[chip] === SYNC)
      .map((chip) => ({ chip, polarity: this.polarity(chip, 0) }));
  }

  /** The polarity of a chip for a value of its symbol. */
  polarity(chip: number, value: number): 1 | -1 {
    return ((this.#bits[chip] as number) >> value) & 1 ? 1 : -1;
  }

  /** The signs of a watermark number: for each slot of a period, for each band, raised (1) or lowered (-1). */
  signsOf(number: number): Int8Array {
    return Int8Array.from({ length: CHIPS * CHIP_SLOTS * CHIP_BANDS }, (_, cell) => {
      const slot = Math.floor(cell / BANDS);
      const band = cell % BANDS;
      const chip = Math.floor(slot / CHIP_SLOTS) * COLUMNS + Math.floor(band / CHIP_BANDS);
      const polarity = this.polarity(chip, symbolValue(number, this.roles[chip] as number));
      return (slot + band) % 2 === 0 ? polarity : -polarity;
    });
  }
}

function symbolValue(number: number, role: number): number {
  return role === SYNC ? 0 : Math.floor(number / SYMBOL_VALUES ** role) % SYMBOL_VALUES;
}
