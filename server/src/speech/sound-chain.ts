import { applyGain } from '../audio/gain.ts';
import { Limiter } from '../audio/limiter.ts';
import { LoudnessNormalizer } from '../audio/loudness-normalizer.ts';
import type { Pcm } from '../audio/pcm.ts';
import { pause, SilenceTrimmer } from '../audio/silence.ts';
import type { Boundary } from '../text/piece.ts';
import type { PieceEvent } from './piece-speaker.ts';

/** How the pieces of a request become one sound. */
export interface JoinOptions {
  /** Pauses shrink with a faster pace. */
  readonly speed: number;
  readonly volumeDb: number;
  /** Set when the loudness is to be levelled. */
  readonly levelling: { readonly targetLufs: number; readonly voiceLufs: number } | undefined;
}

/** Quiet kept before the first sound of a piece; it protects soft onsets. */
const LEADING_SECONDS = 0.03;
/** Pause after a piece by what ends it, at the voice's own pace. */
const PAUSE_SECONDS: Readonly<Record<Boundary, number>> = {
  phrase: 0.04,
  clause: 0.18,
  sentence: 0.38,
  paragraph: 0.7,
  end: 0.1,
};

/** Joins the audio of pieces into one even sound: pauses by punctuation, one level, no clicks. */
export async function* joinPieces(
  events: AsyncGenerator<PieceEvent>,
  options: JoinOptions,
): AsyncGenerator<Pcm> {
  let level: Leveller | undefined;
  let trimmer: SilenceTrimmer | undefined;
  let sampleRateHz = 0;
  for await (const event of events) {
    let samples: Float32Array | undefined;
    if (event.kind === 'audio') {
      sampleRateHz = event.part.sampleRateHz;
      level ??= createLeveller(sampleRateHz, options);
      if (trimmer === undefined) {
        trimmer = new SilenceTrimmer({ sampleRateHz, keepLeadingSeconds: LEADING_SECONDS });
        const { leadingPauseSeconds = 0 } = event.piece.performance ?? {};
        const before = level.process(pause(leadingPauseSeconds, sampleRateHz));
        if (before.length > 0) yield { samples: before, sampleRateHz };
      }
      samples = trimmer.process(event.part.samples);
    } else {
      const { trailingPauseSeconds = 0 } = event.piece.performance ?? {};
      samples = trimmer?.finish(PAUSE_SECONDS[event.piece.boundary] / options.speed + trailingPauseSeconds);
      trimmer = undefined;
    }
    const isUsual = event.piece.performance?.script.deliveries === undefined;
    const levelled = samples && level?.process(samples, { isUsual });
    if (levelled && levelled.length > 0) yield { samples: levelled, sampleRateHz };
  }
  const rest = level?.flush();
  if (rest && rest.length > 0) yield { samples: rest, sampleRateHz };
}

interface Leveller {
  process(samples: Float32Array, options?: { readonly isUsual: boolean }): Float32Array;
  flush(): Float32Array;
}

function createLeveller(sampleRateHz: number, { levelling, volumeDb }: JoinOptions): Leveller {
  if (levelling !== undefined) {
    const { targetLufs, voiceLufs } = levelling;
    return new LoudnessNormalizer({
      sampleRateHz,
      targetLufs,
      voiceGainDb: targetLufs - voiceLufs,
      volumeDb,
    });
  }
  const limiter = new Limiter({ sampleRateHz });
  return {
    process: (samples) => limiter.process(applyGain(samples, volumeDb)),
    flush: () => limiter.flush(),
  };
}
