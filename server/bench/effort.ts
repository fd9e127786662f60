import { longTextFor, mediumTextFor, TEXTS } from './texts.ts';

/** Number of repetitions of each measurement. */
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
  /** Number of cloned voices, and of request pairs with one of them. */
  readonly clones: number;
  readonly clonePairs: number;
  readonly referenceRuns: number;
  /** Rounds of all texts in the comparison with other projects. */
  readonly peerRounds: number;
  /** Duration of the measurement of the HTTP process, for each format. */
  readonly httpSeconds: number;
  /** Repetitions of the recordings in a live session. */
  readonly liveRounds: number;
  /** Whether `generate()` of the reference, the slower of its two methods, is measured too. */
  readonly measuresReferenceGenerate: boolean;
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
  peerRounds: 5,
  httpSeconds: 120,
  liveRounds: 3,
  measuresReferenceGenerate: true,
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
  peerRounds: 2,
  httpSeconds: 20,
  liveRounds: 1,
  measuresReferenceGenerate: false,
};
