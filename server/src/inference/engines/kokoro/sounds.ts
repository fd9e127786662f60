import type { VocalSound } from '../../../domain/engines/vocal-sound.ts';
import { kokoroTokens } from '../../phonemizer/tokens/kokoro-tokens.ts';
import { medianPitchHz } from '../acting/pitch-contour.ts';
import { mixAudience, soundContours } from '../acting/sound-contours.ts';
import { type Phone, SOUND_RECIPES } from '../acting/sound-recipes.ts';
import { VoiceFinish } from '../acting/voice-finish.ts';
import { beginActed, SAMPLES_PER_STEP, STEPS_PER_FRAME, VOICED_ABOVE_HZ } from './act.ts';
import type { KokoroDecoder } from './decoder.ts';
import { FRAMES_PER_SECOND, SAMPLE_RATE_HZ, SAMPLES_PER_FRAME } from './features.ts';
import type { KokoroFront } from './front.ts';
import { retime } from './retime.ts';
import type { Styles } from './styles.ts';

/** Said by nobody: from its melody the middle of a voice is known. */
const CARRIER = 'ðə lˈɔŋ ɹˈOd wˈɪndz hˈOm.';
const USUAL_MIDDLE_HZ = 150;
/** Energy of a voiced and of a breathed stretch, as the front gives them for plain speech. */
const VOICED_ENERGY = 7;
const BREATH_ENERGY = 5;
/** Voices that laugh together are picked this far apart, so that women and men are among them. */
const AUDIENCE_STRIDE = 11;
/** The style row of a sentence; that of a text as short as a laugh is a mumble. */
const LAUGH_PHONEMES = 40;
/** Without words the decoder is softer than the recipes say. */
const SOUND_GAIN = 1.7;

interface SoundParts {
  readonly front: KokoroFront;
  readonly decoder: KokoroDecoder;
  readonly styles: Styles;
  readonly tokenTable: ReadonlyMap<string, number>;
}

/** Who makes a sound, and how strongly. */
interface SoundVoice {
  readonly style: Float32Array;
  readonly seed: number;
  readonly intensity: number;
}

/** Makes the sounds of a voice: its own decoder, with mouth shapes, pitch and breath from our recipes. */
export class KokoroSounds {
  readonly #parts: SoundParts;

  constructor(parts: SoundParts) {
    this.#parts = parts;
  }

  /** All samples of a sound. */
  make(sound: VocalSound, voice: SoundVoice): Promise<Float32Array> {
    if (sound !== 'audience-laughter') return this.#make(SOUND_RECIPES[sound], voice);
    const { styles } = this.#parts;
    return mixAudience(SAMPLES_PER_FRAME, FRAMES_PER_SECOND, async (person) => {
      const name = styles.names[(voice.seed + person * AUDIENCE_STRIDE) % styles.names.length]!;
      const style = await styles.row({ kind: 'named', name }, LAUGH_PHONEMES);
      return this.#make(SOUND_RECIPES.laugh, { ...voice, style, seed: voice.seed + person });
    });
  }

  async #make(phones: readonly Phone[], { style, seed, intensity }: SoundVoice): Promise<Float32Array> {
    const { front, decoder } = this.#parts;
    const carrier = await front.run(this.#tokens(CARRIER), style, 1);
    const middleHz = medianPitchHz(carrier.f0, VOICED_ABOVE_HZ) ?? USUAL_MIDDLE_HZ;
    const clock = { framesPerSecond: FRAMES_PER_SECOND, stepsPerFrame: STEPS_PER_FRAME };
    const { phoneFrames, tracks, pitchHz } = soundContours(phones, clock, { middleHz, intensity });

    const planned = await front.run(this.#tokens(phones.map(({ symbol }) => symbol).join('')), style, 1);
    const energy = pitchHz.map((hz) => (hz > 0 ? VOICED_ENERGY : BREATH_ENERGY));
    const features = { ...retime(planned, phoneFrames), f0: pitchHz, energy };
    const job = beginActed(decoder, { style, seed }, { features, tracks });
    const [from, to] = [1, features.frames - 1];
    const samples = (await job.decode(from, to)).map((sample) => sample * SOUND_GAIN);
    const voiceClock = { sampleRateHz: SAMPLE_RATE_HZ, samplesPerStep: SAMPLES_PER_STEP };
    return new VoiceFinish(tracks, voiceClock, from * SAMPLES_PER_FRAME).push(samples);
  }

  #tokens(symbols: string): readonly number[] {
    return kokoroTokens(symbols, this.#parts.tokenTable).ids;
  }
}
