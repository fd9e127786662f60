/** The used part of espeak-ng's Emscripten build, which ships without types. */
declare module '@echogarden/espeak-ng-emscripten' {
  export interface EspeakModule {
    readonly HEAPU8: Uint8Array;
    readonly eSpeakNGWorker: new () => EspeakWorker;
    /** The bundled data files. */
    readonly FS: EspeakFiles;
    _malloc(sizeBytes: number): number;
    _free(address: number): void;
    /** Argument and result are addresses of zero-terminated UTF-8; the caller frees both. */
    _emscripten_bind_eSpeakNGWorker_text_to_phonemes_2(worker: number, text: number, ipa: number): number;
  }

  /** The used part of Emscripten's file system. */
  export interface EspeakFiles {
    readFile(path: string): Uint8Array;
    readdir(path: string): string[];
    isDir(mode: number): boolean;
    analyzePath(path: string): { readonly object?: EspeakNode | null };
    /** The native code opens files by this function. */
    open(path: string, ...mode: number[]): unknown;
  }

  /** A file in memory. */
  export interface EspeakNode {
    readonly mode: number;
    readonly usedBytes: number;
    contents: Uint8Array;
  }

  export interface EspeakWorker {
    readonly ptr: number;
    /** Returns 0 when the voice exists. */
    set_voice(
      name: string,
      language: string | undefined,
      gender: number,
      age: number,
      variant: number,
    ): number;
  }

  // biome-ignore lint/style/noDefaultExport: that is what the package exports
  export default function createModule(): Promise<EspeakModule>;
}
