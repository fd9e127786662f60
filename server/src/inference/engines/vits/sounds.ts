import { SampleQueue } from '../../../audio/sample-queue.ts';
import type { VocalSound } from '../../../domain/engines/vocal-sound.ts';
import { PitchShifter } from '../acting/pitch-shifter.ts';
import { mixAudience, soundContours } from '../acting/sound-contours.ts';
import { type Phone, SOUND_RECIPES } from '../acting/sound-recipes.ts';
import { VoiceFinish } from '../acting/voice-finish.ts';
import { throughStages, type VoiceStage } from '../acting/voice-stage.ts';
import { Whisperer } from '../acting/whisperer.ts';
import type { PiperConfig } from './piper-config.ts';
import { speakSymbols } from './speak-symbols.ts';
import type { VitsModel } from './vits-model.ts';
import type { VoiceMiddle } from './voice-middle.ts';

/** A sound's pitch may be this far from what the model makes of its phonemes. */
const SHIFT_MAX = 2.2;
/** Breath in a sound is as loud as a recipe says, not as soft as a whisper. */
const BREATH_GAIN = 0.8;
const AUDIENCE_STRIDE = 37;

/** Who makes a sound, and how strongly. */
interface SoundVoice {
  readonly speaker: Float32Array;
  readonly seed: number;
  readonly intensity: number;
  readonly signal: AbortSignal;
}

/** Makes the sounds of a voice: the model speaks the mouth shapes of a recipe, the rest is done to its sound. */
export class VitsSounds {
  readonly #model: VitsModel;
  readonly #config: PiperConfig;
  readonly #middle: VoiceMiddle;

  constructor(model: VitsModel, config: PiperConfig, middle: VoiceMiddle) {
    this.#model = model;
    this.#config = config;
    this.#middle = middle;
  }

  get framesPerSecond(): number {
    return this.#config.sampleRateHz / this.#model.shape.samplesPerFrame;
  }

  /** All samples of a sound. */
  make(sound: VocalSound, voice: SoundVoice): Promise<Float32Array> {
    if (sound !== 'audience-laughter') return this.#make(SOUND_RECIPES[sound], voice);
    const { samplesPerFrame, speakerCount } = this.#model.shape;
    return mixAudience(samplesPerFrame, this.framesPerSecond, (person) => {
      const seed = voice.seed + person;
      const row = (voice.seed + person * AUDIENCE_STRIDE) % Math.max(1, speakerCount);
      const speaker = speakerCount > 0 ? this.#model.speaker(row) : voice.speaker;
      return this.#make(SOUND_RECIPES.laugh, { ...voice, seed, speaker });
    });
  }

  async #make(phones: readonly Phone[], voice: SoundVoice): Promise<Float32Array> {
    const { samplesPerFrame } = this.#model.shape;
    const { sampleRateHz } = this.#config;
    const middleHz = await this.#middle.pitchHz(voice.speaker, voice.signal);
    const clock = { framesPerSecond: this.framesPerSecond, stepsPerFrame: 1 };
    const { phoneFrames, tracks, pitchHz } = soundContours(phones, clock, { ...voice, middleHz });
    const voiceClock = { sampleRateHz, samplesPerStep: samplesPerFrame };
    const stages: VoiceStage[] = [
      new PitchShifter({
        sampleRateHz,
        length: tracks.length * samplesPerFrame,
        factorAt: (sample, hz) => {
          const wantedHz = pitchHz[Math.floor(sample / samplesPerFrame)] ?? 0;
          return wantedHz === 0 ? 1 : Math.min(SHIFT_MAX, Math.max(1 / SHIFT_MAX, wantedHz / hz));
        },
      }),
      new Whisperer(tracks, voiceClock, { seed: voice.seed, gain: BREATH_GAIN }),
      new VoiceFinish(tracks, voiceClock),
    ];
    const symbols = phones.map(({ symbol }) => symbol).join('');
    const framesOf = (symbolIndex: readonly number[]) => layPhones(phoneFrames, symbols, symbolIndex);
    const spoken = speakSymbols(this.#model, this.#config, symbols, { ...voice, framesOf });
    const samples = await collect(throughStages(spoken, stages));
    return samples.subarray(samplesPerFrame, samples.length - samplesPerFrame);
  }
}

/** Shares the frames of each phone among its tokens; what stands before and after gets the silent frame. */
function layPhones(phoneFrames: Int32Array, symbols: string, symbolIndex: readonly number[]): Int32Array {
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
