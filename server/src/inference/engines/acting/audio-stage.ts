/** Relation of track steps to samples. */
export interface TrackClock {
  readonly sampleRateHz: number;
  readonly samplesPerStep: number;
}

/** A streaming audio processor that keeps the number of samples but may delay them. */
export interface AudioStage {
  /** Accepts the next samples and returns those that are ready. */
  push(samples: Float32Array): Float32Array;
  /** Returns the remaining samples. Nothing may be pushed afterwards. */
  flush(): Float32Array;
}

/** Runs a stream of samples through stages in order. */
export async function* runStages(
  speech: AsyncIterable<Float32Array>,
  stages: readonly AudioStage[],
): AsyncGenerator<Float32Array> {
  const push = (samples: Float32Array, from: number) =>
    stages.slice(from).reduce((ready, stage) => (ready.length > 0 ? stage.push(ready) : ready), samples);
  for await (const samples of speech) yield push(samples, 0);
  for (const [index, stage] of stages.entries()) yield push(stage.flush(), index + 1);
}
