import { longTextFor, mediumTextFor, TEXTS } from './texts.ts';

/** How much is measured: enough to trust the numbers, or just enough to see where things stand. */
export interface Effort {
  readonly firstAudioRuns: number;
  readonly realTimeRuns: number;
  readonly cpuTexts: readonly string[];
  readonly cpuRounds: number;
  readonly decoderRuns: number;
  readonly listeners: readonly number[];
  readonly listenerText: (listener: number) => string;
  readonly memoryRequests: number;
  readonly disconnects: number;
  readonly billingRounds: number;
  readonly billingRequests: number;
  /** Voices that are made, and pairs of requests with one. */
  readonly clones: number;
  readonly clonePairs: number;
  readonly referenceRuns: number;
  /** Whether the slower of the two ways to call the reference is measured too. */
  readonly measuresWholeReference: boolean;
}

export const FULL_EFFORT: Effort = {
  firstAudioRuns: 20,
  realTimeRuns: 3,
  cpuTexts: [TEXTS[300], TEXTS[1500]],
  cpuRounds: 16,
  decoderRuns: 5,
  listeners: [1, 2, 4, 8],
  listenerText: longTextFor,
  memoryRequests: 500,
  disconnects: 10,
  billingRounds: 7,
  billingRequests: 500,
  clones: 5,
  clonePairs: 20,
  referenceRuns: 3,
  measuresWholeReference: true,
};

export const QUICK_EFFORT: Effort = {
  firstAudioRuns: 6,
  realTimeRuns: 1,
  cpuTexts: [TEXTS[300]],
  cpuRounds: 6,
  decoderRuns: 2,
  listeners: [1, 2, 4],
  listenerText: mediumTextFor,
  memoryRequests: 100,
  disconnects: 3,
  billingRounds: 3,
  billingRequests: 200,
  clones: 2,
  clonePairs: 6,
  referenceRuns: 1,
  measuresWholeReference: false,
};
