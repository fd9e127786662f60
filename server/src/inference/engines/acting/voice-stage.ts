/** How the steps of tracks lie in samples. */
export interface VoiceClock {
  readonly sampleRateHz: number;
  readonly samplesPerStep: number;
}

/** One step on the way of finished speech to the ear. Nothing said is lost, but it may come out later. */
export interface VoiceStage {
  /** Takes the next samples and returns those that are ready. */
  push(samples: Float32Array): Float32Array;
  /** The rest. Nothing may be pushed afterwards. */
  flush(): Float32Array;
}

/** Sends speech through stages. */
export async function* throughStages(
  speech: AsyncIterable<Float32Array>,
  stages: readonly VoiceStage[],
): AsyncGenerator<Float32Array> {
  const push = (samples: Float32Array, from: number) =>
    stages.slice(from).reduce((ready, stage) => (ready.length > 0 ? stage.push(ready) : ready), samples);
  for await (const samples of speech) yield push(samples, 0);
  for (const [index, stage] of stages.entries()) yield push(stage.flush(), index + 1);
}
