import { SampleQueue } from '../../../audio/sample-queue.ts';
import type { VocalSound } from '../../../domain/engines/vocal-sound.ts';
import { type AudioStage, runStages } from '../acting/audio-stage.ts';
import { LevelStage } from '../acting/level-stage.ts';
import { PitchShifter } from '../acting/pitch-shifter.ts';
import { createVocalSoundContours, mixAudience } from '../acting/vocal-sound-contours.ts';
import { type Phone, VOCAL_SOUND_RECIPES } from '../acting/vocal-sound-recipes.ts';
import { WhisperStage } from '../acting/whisper-stage.ts';
import type { VoiceMedianPitch } from './median-pitch.ts';
import type { PiperConfig } from './piper-config.ts';
import { synthesizeSymbols } from './synthesize-symbols.ts';
import type { VitsModel } from './vits-model.ts';

/** Limit of the pitch factor between the synthesized and the wanted pitch. */
const SHIFT_MAX = 2.2;
/** Level of breath in vocal sounds, higher than in a whisper. */
const BREATH_GAIN = 0.8;
const AUDIENCE_STRIDE = 37;

/** The speaker and intensity of a vocal sound. */
interface SoundVoice {
  readonly speaker: Float32Array;
  readonly seed: number;
  readonly intensity: number;
  readonly signal: AbortSignal;
}

/** Renders vocal sounds: the model synthesizes the phonemes of a recipe; stages apply pitch, breath and level. */
export class VitsVocalSounds {
  readonly #model: VitsModel;
  readonly #config: PiperConfig;
  readonly #medianPitch: VoiceMedianPitch;

  constructor(model: VitsModel, config: PiperConfig, medianPitch: VoiceMedianPitch) {
    this.#model = model;
    this.#config = config;
    this.#medianPitch = medianPitch;
  }

  get framesPerSecond(): number {
    return this.#config.sampleRateHz / this.#model.shape.samplesPerFrame;
  }

  /** All samples of a vocal sound. */
  render(sound: VocalSound, voice: SoundVoice): Promise<Float32Array> {
    if (sound !== 'audience-laughter') return this.#render(VOCAL_SOUND_RECIPES[sound], voice);
    const { samplesPerFrame, speakerCount } = this.#model.shape;
    return mixAudience(samplesPerFrame, this.framesPerSecond, (index) => {
      const seed = voice.seed + index;
      const row = (voice.seed + index * AUDIENCE_STRIDE) % Math.max(1, speakerCount);
      const speaker = speakerCount > 0 ? this.#model.speaker(row) : voice.speaker;
      return this.#render(VOCAL_SOUND_RECIPES.laugh, { ...voice, seed, speaker });
    });
  }

  async #render(phones: readonly Phone[], voice: SoundVoice): Promise<Float32Array> {
    const { samplesPerFrame } = this.#model.shape;
    const { sampleRateHz } = this.#config;
    const medianHz = await this.#medianPitch.pitchHz(voice.speaker, voice.signal);
    const clock = { framesPerSecond: this.framesPerSecond, stepsPerFrame: 1 };
    const { phoneFrames, tracks, pitchHz } = createVocalSoundContours(phones, clock, { ...voice, medianHz });
    const voiceClock = { sampleRateHz, samplesPerStep: samplesPerFrame };
    const stages: AudioStage[] = [
      new PitchShifter({
        sampleRateHz,
        length: tracks.length * samplesPerFrame,
        factorAt: (sample, hz) => {
          const wantedHz = pitchHz[Math.floor(sample / samplesPerFrame)] ?? 0;
          return wantedHz === 0 ? 1 : Math.min(SHIFT_MAX, Math.max(1 / SHIFT_MAX, wantedHz / hz));
        },
      }),
      new WhisperStage(tracks, voiceClock, { seed: voice.seed, gain: BREATH_GAIN }),
      new LevelStage(tracks, voiceClock),
    ];
    const symbols = phones.map(({ symbol }) => symbol).join('');
    const framesOf = (symbolIndex: readonly number[]) => distributeFrames(phoneFrames, symbols, symbolIndex);
    const synthesized = synthesizeSymbols(this.#model, this.#config, symbols, { ...voice, framesOf });
    const samples = await collect(runStages(synthesized, stages));
    return samples.subarray(samplesPerFrame, samples.length - samplesPerFrame);
  }
}

/** Distributes the frames of each phone over its tokens; the outer tokens get the silent frames. */
function distributeFrames(
  phoneFrames: Int32Array,
  symbols: string,
  symbolIndex: readonly number[],
): Int32Array {
  const starts = [0];
  for (const symbol of symbols) starts.push(starts.at(-1)! + symbol.length);
  const frames = new Int32Array(symbolIndex.length);
  const share = (tokens: readonly number[], total: number) => {
    for (const [index, token] of tokens.entries()) {
      const from = Math.floor((total * index) / tokens.length);
      frames[token] = Math.floor((total * (index + 1)) / tokens.length) - from;
    }
  };
  const tokensAt = (symbol: number) =>
    [...symbolIndex.keys()].filter((token) => symbolIndex[token] === symbol);
  const outside = tokensAt(-1);
  share(outside.slice(0, -1), phoneFrames[0]!);
  share(outside.slice(-1), phoneFrames.at(-1)!);
  for (const [phone, start] of starts.slice(0, -1).entries()) share(tokensAt(start), phoneFrames[phone + 1]!);
  return frames;
}

async function collect(parts: AsyncIterable<Float32Array>): Promise<Float32Array> {
  const all = new SampleQueue();
  for await (const part of parts) all.push(part);
  return all.takeAll();
}
