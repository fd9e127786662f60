/** The used part of espeak-ng's Emscripten build, which ships without types. */
declare module '@echogarden/espeak-ng-emscripten' {
  export interface EspeakModule {
    readonly HEAPU8: Uint8Array;
    readonly eSpeakNGWorker: new () => EspeakWorker;
    /** The bundled data files. */
    readonly FS: { readFile(path: string): Uint8Array };
    _malloc(sizeBytes: number): number;
    _free(address: number): void;
    /** Argument and result are addresses of zero-terminated UTF-8; the caller frees both. */
    _emscripten_bind_eSpeakNGWorker_text_to_phonemes_2(worker: number, text: number, ipa: number): number;
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
