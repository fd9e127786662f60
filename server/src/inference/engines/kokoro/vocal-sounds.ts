import type { VocalSound } from '../../../domain/engines/vocal-sound.ts';
import { kokoroTokens } from '../../phonemizer/tokens/kokoro-tokens.ts';
import { LevelStage } from '../acting/level-stage.ts';
import { medianPitchHz } from '../acting/pitch-contour.ts';
import { createVocalSoundContours, mixAudience } from '../acting/vocal-sound-contours.ts';
import { type Phone, VOCAL_SOUND_RECIPES } from '../acting/vocal-sound-recipes.ts';
import { beginActedDecoding, SAMPLES_PER_STEP, STEPS_PER_FRAME, VOICED_ABOVE_HZ } from './acted-features.ts';
import type { KokoroDecoder } from './decoders/decoder.ts';
import type { KokoroFront } from './front.ts';
import { FRAMES_PER_SECOND, SAMPLE_RATE_HZ, SAMPLES_PER_FRAME } from './networks/features.ts';
import { retime } from './retime.ts';
import type { Styles } from './styles.ts';

/** Carrier sentence for measuring the median pitch of a voice; it is not output. */
const CARRIER = 'ðə lˈɔŋ ɹˈOd wˈɪndz hˈOm.';
const DEFAULT_MEDIAN_HZ = 150;
/** Energy of voiced and unvoiced segments, as predicted by the front for neutral speech. */
const VOICED_ENERGY = 7;
const UNVOICED_ENERGY = 5;
/** Distance in the voice list between voices of an audience, so that it includes both genders. */
const AUDIENCE_STRIDE = 11;
/** Phoneme count that selects the style row; rows for texts as short as a laugh are indistinct. */
const LAUGH_PHONEMES = 40;
/** Compensates for the lower level of the decoder on vocal sounds. */
const SOUND_GAIN = 1.7;

interface SoundParts {
  readonly front: KokoroFront;
  readonly decoder: KokoroDecoder;
  readonly styles: Styles;
  readonly tokenTable: ReadonlyMap<string, number>;
}

/** The voice and intensity of a vocal sound. */
export interface SoundVoice {
  readonly style: Float32Array;
  readonly decoderVoice?: Float32Array | undefined;
  /** Median pitch of a cloned voice; absent: that of the style. */
  readonly medianHz?: number | undefined;
  readonly seed: number;
  readonly intensity: number;
}

/** Renders vocal sounds with the decoder of the voice; phonemes, pitch and breath come from the recipes. */
export class KokoroVocalSounds {
  readonly #parts: SoundParts;

  constructor(parts: SoundParts) {
    this.#parts = parts;
  }

  /** All samples of a vocal sound. */
  render(sound: VocalSound, voice: SoundVoice): Promise<Float32Array> {
    if (sound !== 'audience-laughter') return this.#render(VOCAL_SOUND_RECIPES[sound], voice);
    const { styles } = this.#parts;
    return mixAudience(SAMPLES_PER_FRAME, FRAMES_PER_SECOND, async (index) => {
      const name = styles.names[(voice.seed + index * AUDIENCE_STRIDE) % styles.names.length]!;
      const style = await styles.row({ kind: 'named', name }, LAUGH_PHONEMES);
      const { seed, intensity } = voice;
      return this.#render(VOCAL_SOUND_RECIPES.laugh, { style, intensity, seed: seed + index });
    });
  }

  async #render(phones: readonly Phone[], voice: SoundVoice): Promise<Float32Array> {
    const { front, decoder } = this.#parts;
    const { style, decoderVoice, seed, intensity } = voice;
    const medianHz = voice.medianHz ?? (await this.#medianPitchOf(style));
    const clock = { framesPerSecond: FRAMES_PER_SECOND, stepsPerFrame: STEPS_PER_FRAME };
    const { phoneFrames, tracks, pitchHz } = createVocalSoundContours(phones, clock, { medianHz, intensity });

    const planned = await front.run(this.#tokens(phones.map(({ symbol }) => symbol).join('')), style, 1);
    const energy = pitchHz.map((hz) => (hz > 0 ? VOICED_ENERGY : UNVOICED_ENERGY));
    const features = { ...retime(planned, phoneFrames), f0: pitchHz, energy };
    const job = beginActedDecoding(decoder, { style, decoderVoice, seed }, { features, tracks });
    const [from, to] = [1, features.frames - 1];
    const samples = (await job.decode(from, to)).map((sample) => sample * SOUND_GAIN);
    const voiceClock = { sampleRateHz: SAMPLE_RATE_HZ, samplesPerStep: SAMPLES_PER_STEP };
    return new LevelStage(tracks, voiceClock, from * SAMPLES_PER_FRAME).push(samples);
  }

  async #medianPitchOf(style: Float32Array): Promise<number> {
    const carrier = await this.#parts.front.run(this.#tokens(CARRIER), style, 1);
    return medianPitchHz(carrier.f0, VOICED_ABOVE_HZ) ?? DEFAULT_MEDIAN_HZ;
  }

  #tokens(symbols: string): readonly number[] {
    return kokoroTokens(symbols, this.#parts.tokenTable).ids;
  }
}
