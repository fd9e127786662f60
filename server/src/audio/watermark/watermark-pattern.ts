import { createHash } from 'node:crypto';

/** For so long a band is raised or lowered. */
export const SLOT_SECONDS = 0.04;
export const LOWEST_HZ = 1000;
export const BAND_HZ = 156.25;
export const BANDS = 32;

/** A chip is two slots of two bands, raised and lowered crosswise, so that what a voice does to all four is not heard in it. */
export const CHIP_SLOTS = 2;
export const CHIP_BANDS = 2;
export const COLUMNS = BANDS / CHIP_BANDS;
/** The pattern begins again after so many rows of chips. */
export const ROWS = 64;
const CHIPS = ROWS * COLUMNS;

/** A number is said in symbols, each one of so many values. */
export const SYMBOLS = 4;
export const SYMBOL_VALUES = 16;
/** How many numbers there are. */
export const WATERMARK_NUMBERS = SYMBOL_VALUES ** SYMBOLS;
/** The role of chips that belong to no symbol: they are the same for all numbers and tell where a period begins. */
export const START = SYMBOLS;

const BYTES_PER_CHIP = 3;

/** Which chips are turned which way. All follows from the key; to those who do not know it, it is noise. */
export class WatermarkPattern {
  /** For each chip the symbol it belongs to, or `START`, which half of them are. */
  readonly roles: Uint8Array;
  /** The chips that are the same for all numbers, and which way each is turned. */
  readonly startChips: readonly { readonly chip: number; readonly turn: 1 | -1 }[];
  /** For each chip a bit for each value of its symbol. */
  readonly #bits: Uint16Array;

  constructor(key: string) {
    const noise = createHash('shake256', { outputLength: CHIPS * BYTES_PER_CHIP })
      .update(`mynah:watermark:1:${key}`)
      .digest();
    const roles = Array.from({ length: CHIPS }, (_, chip) => noise.readUInt8(BYTES_PER_CHIP * chip));
    this.roles = Uint8Array.from(roles, (role) => (role & 1 ? START : (role >> 1) % SYMBOLS));
    this.#bits = Uint16Array.from(roles, (_, chip) => noise.readUInt16LE(BYTES_PER_CHIP * chip + 1));
    this.startChips = [...this.roles.keys()]
      .filter((chip) => this.roles[chip] === START)
      .map((chip) => ({ chip, turn: this.turn(chip, 0) }));
  }

  /** Which way a chip is turned for a value of its symbol: 1 or -1. */
  turn(chip: number, value: number): 1 | -1 {
    return ((this.#bits[chip] as number) >> value) & 1 ? 1 : -1;
  }

  /** For each slot of a period, and in it for each band, whether it is raised (1) or lowered (-1) for a number. */
  signsOf(number: number): Int8Array {
    return Int8Array.from({ length: CHIPS * CHIP_SLOTS * CHIP_BANDS }, (_, cell) => {
      const slot = Math.floor(cell / BANDS);
      const band = cell % BANDS;
      const chip = Math.floor(slot / CHIP_SLOTS) * COLUMNS + Math.floor(band / CHIP_BANDS);
      const turn = this.turn(chip, symbolValue(number, this.roles[chip] as number));
      return (slot + band) % 2 === 0 ? turn : -turn;
    });
  }
}

function symbolValue(number: number, role: number): number {
  return role === START ? 0 : Math.floor(number / SYMBOL_VALUES ** role) % SYMBOL_VALUES;
}
