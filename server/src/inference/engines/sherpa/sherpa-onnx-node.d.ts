/** The used part of the package, which ships without types. */
declare module 'sherpa-onnx-node' {
  export interface PocketConfig {
    readonly lmFlow: string;
    readonly lmMain: string;
    readonly encoder: string;
    readonly decoder: string;
    readonly textConditioner: string;
    readonly vocabJson: string;
    readonly tokenScoresJson: string;
  }

  export interface ZipVoiceConfig {
    readonly encoder: string;
    readonly decoder: string;
    readonly vocoder: string;
    readonly tokens: string;
    readonly lexicon: string;
    /** The folder of espeak-ng's data. */
    readonly dataDir: string;
  }

  interface GeneratedAudio {
    readonly samples: Float32Array;
    readonly sampleRate: number;
  }

  export interface GenerationOptions {
    readonly speed: number;
    readonly referenceAudio: Float32Array;
    readonly referenceSampleRate: number;
    readonly referenceText?: string;
    readonly numSteps: number;
    readonly extra?: Readonly<Record<string, number>>;
  }

  export class GenerationConfig {
    constructor(options: GenerationOptions);
  }

  export class OfflineTts {
    readonly sampleRate: number;
    static createAsync(config: {
      readonly model: {
        readonly pocket?: PocketConfig;
        readonly zipvoice?: ZipVoiceConfig;
        readonly numThreads: number;
        readonly provider: 'cpu';
        readonly debug: boolean;
      };
      readonly maxNumSentences: number;
    }): Promise<OfflineTts>;
    generateAsync(request: {
      readonly text: string;
      readonly enableExternalBuffer: boolean;
      readonly generationConfig: GenerationConfig;
      /** Returning 0 stops the generation. */
      readonly onProgress: (info: { readonly samples: Float32Array }) => number;
    }): Promise<GeneratedAudio>;
  }
}
