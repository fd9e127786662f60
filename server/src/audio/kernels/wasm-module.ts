/**
 * Just enough of an assembler for loops over samples, four at a time. Such a loop in JavaScript takes four to ten
 * times as long, and they stand beside every stream there is. The functions are small enough to be written by hand;
 * the comments in their bodies are their text form.
 */

// Node has this; the library of ECMAScript does not describe it.
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { readonly exports: Record<string, unknown> };
};

/** A function of a module. Its first locals are its parameters. */
export interface WasmFunction {
  readonly parameters: readonly number[];
  readonly result: readonly number[];
  readonly locals: readonly number[];
  readonly body: readonly number[];
}

/** A module's memory and functions. */
export interface WasmInstance<Name extends string> {
  readonly memory: ArrayBuffer;
  readonly functions: Readonly<Record<Name, (...args: readonly number[]) => number>>;
}

/** A module that can be used any number of times, each time with a memory of its own. */
export class WasmModule<Name extends string> {
  readonly #bytes: Uint8Array;
  #compiled: object | undefined;

  constructor(functions: Readonly<Record<Name, WasmFunction>>) {
    this.#bytes = moduleBytes(functions);
  }

  instantiate(memoryBytes: number): WasmInstance<Name> {
    this.#compiled ??= new WebAssembly.Module(this.#bytes);
    const { memory, ...functions } = new WebAssembly.Instance(this.#compiled).exports;
    const grown = memory as { readonly buffer: ArrayBuffer; grow(pages: number): number };
    grown.grow(Math.ceil(memoryBytes / PAGE_BYTES));
    return { memory: grown.buffer, functions: functions as WasmInstance<Name>['functions'] };
  }
}

const PAGE_BYTES = 65536;

export const I32 = 0x7f;
export const F32 = 0x7d;
export const V128 = 0x7b;
const NO_VALUE = 0x40;

export const get = (local: number) => [0x20, local];
export const set = (local: number) => [0x21, local];
export const i32Const = (value: number) => [0x41, ...smallLeb(value)];
export const advance = (local: number, by: readonly number[]) => [
  ...get(local),
  ...by,
  I32_ADD,
  ...set(local),
];

export const I32_ADD = 0x6a;
export const I32_SUB = 0x6b;
export const I32_MUL = 0x6c;
export const I32_OR = 0x72;
export const I32_SHIFT_LEFT = 0x74;
export const I32_TRAILING_ZEROS = 0x68;
export const I32_LT_S = 0x48;
export const I32_GT_S = 0x4a;
export const I32_GE_S = 0x4e;
export const F32_ADD = 0x92;
export const F32_MAX = 0x97;
export const F32_STORE = [0x38, 2, 0];

export const LOOP = [0x03, NO_VALUE];
export const IF = [0x04, NO_VALUE];
export const END = 0x0b;
export const RETURN = 0x0f;
export const branch = (depth: number) => [0x0c, depth];
export const branchIf = (depth: number) => [0x0d, depth];

export const v128Load = (offset: number) => [0xfd, 0x00, 2, offset];
export const v128LoadSplat = (offset: number) => [0xfd, 0x09, 2, ...unsignedLeb(offset)];
export const V128_STORE = [0xfd, 0x0b, 2, 0];
export const V128_ZERO = [0xfd, 0x0c, ...new Uint8Array(16)];
export const V128_ANY_TRUE = [0xfd, 0x53];
export const f32x4Lane = (lane: number) => [0xfd, 0x1f, lane];
export const F32X4_SPLAT = [0xfd, 0x13];
export const F32X4_GT = [0xfd, 0x44];
export const F32X4_FLOOR = [0xfd, 0x68];
export const F32X4_ABS = [0xfd, 0xe0, 0x01];
export const F32X4_ADD = [0xfd, 0xe4, 0x01];
export const F32X4_SUB = [0xfd, 0xe5, 0x01];
export const F32X4_MUL = [0xfd, 0xe6, 0x01];
export const F32X4_MAX = [0xfd, 0xe9, 0x01];
export const I32X4_BIT_MASK = [0xfd, 0xa4, 0x01];
/** Not-a-number becomes zero, and what is out of range the end of the range. */
export const I32X4_FROM_F32X4 = [0xfd, 0xf8, 0x01];
/** What is out of range becomes the end of the range. */
export const I16X8_FROM_I32X4 = [0xfd, 0x85, 0x01];

function moduleBytes(functions: Readonly<Record<string, WasmFunction>>): Uint8Array {
  const list = Object.entries(functions);
  const types = list.map(([, { parameters, result }]) => [0x60, ...vector(parameters), ...vector(result)]);
  const exports = list.map(([name], index) => [...exportName(name), 0, index]);
  const bodies = list.map(([, { locals, body }]) => {
    const code = [locals.length, ...locals.flatMap((type) => [1, type]), ...body, END];
    return [...unsignedLeb(code.length), ...code];
  });
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [types.length, ...types.flat()]),
    ...section(3, [list.length, ...list.keys()]),
    ...section(5, [1, 0, 1]),
    ...section(7, [1 + exports.length, ...exportName('memory'), 2, 0, ...exports.flat()]),
    ...section(10, [bodies.length, ...bodies.flat()]),
  ]);
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsignedLeb(content.length), ...content];
}

function vector(items: readonly number[]): number[] {
  return [items.length, ...items];
}

function exportName(name: string): number[] {
  return [name.length, ...new TextEncoder().encode(name)];
}

function unsignedLeb(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsignedLeb(value >>> 7)];
}

function smallLeb(value: number): number[] {
  if (value < 0 || value > 0x3f) throw new RangeError('Only small constants are needed here.');
  return [value];
}
