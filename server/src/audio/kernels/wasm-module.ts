/**
 * Loads the WebAssembly kernels: loops over samples that process four or eight at a time, in a quarter to a tenth of
 * the time of JavaScript. Their sources are the .wat files in this folder; the build compiles them
 * (scripts/build-kernels.mjs) to .wasm files beside the compiled form of this module. lame.wasm is compiled beforehand, from
 * server/assets/lame.
 */

import { readFileSync } from 'node:fs';

// Node has this; TypeScript's library of ECMAScript does not declare it.
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { readonly exports: Record<string, unknown> };
};

/** The exports of a kernel, and its memory. */
export interface WasmInstance<Name extends string> {
  readonly memory: ArrayBuffer;
  readonly functions: Readonly<Record<Name, (...args: readonly number[]) => number>>;
}

/** The exports of a module that allocates memory: `buffer` is another one after each growth. */
export interface GrowingWasmInstance<Name extends string> {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly functions: WasmInstance<Name>['functions'];
}

const PAGE_BYTES = 65536;

/** A kernel that exports the functions `Name`. Compiled once; each instance has its own memory. */
export class WasmModule<Name extends string> {
  readonly #fileName: string;
  #compiled: object | undefined;

  constructor(fileName: `${string}.wasm`) {
    this.#fileName = fileName;
  }

  instantiate(memoryBytes: number): WasmInstance<Name> {
    const { memory, functions } = this.#instantiate();
    memory.grow(Math.ceil(memoryBytes / PAGE_BYTES));
    return { memory: memory.buffer, functions };
  }

  /** Creates an instance that grows its memory itself. */
  instantiateGrowing(): GrowingWasmInstance<Name> {
    return this.#instantiate();
  }

  #instantiate() {
    this.#compiled ??= new WebAssembly.Module(readFileSync(new URL(this.#fileName, import.meta.url)));
    const { memory, ...functions } = new WebAssembly.Instance(this.#compiled).exports;
    // The types of the exports follow from the source.
    return {
      memory: memory as { readonly buffer: ArrayBuffer; grow(pages: number): number },
      functions: functions as WasmInstance<Name>['functions'],
    };
  }
}
