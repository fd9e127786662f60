import { GaussianNoise } from '../../../audio/dsp/gaussian-noise.ts';
import { createSilence } from '../../../audio/dsp/silence.ts';
import { StepMeter } from '../../../audio/dsp/step-levels.ts';
import { type CompressionPlan, TimeCompressor } from '../../../audio/dsp/time-compressor.ts';
import { decibelsToFactor } from '../../../audio/gain.ts';
import type { PhonemizedText, Phonemizer } from '../../../domain/engines/phonemizer.ts';
import type {
  EngineVoice,
  PitchCorrection,
  SpeechPart,
  TtsEngine,
  Utterance,
} from '../../../domain/engines/tts-engine.ts';
import { ApiError } from '../../../errors.ts';
import type { Language, SpokenWord } from '../../../text/piece.ts';
import { dropPrecedingWords } from '../../phonemizer/tokens/model-tokens.ts';
import { piperTokens } from '../../phonemizer/tokens/piper-tokens.ts';
import { type AudioStage, runStages } from '../acting/audio-stage.ts';
import { createDeliveryStages } from '../acting/delivery-stages.ts';
import { createDeliveryTracks, type DeliverySpan } from '../acting/delivery-tracks.ts';
import { correctionFactor } from '../acting/pitch-contour.ts';
import { PitchShifter } from '../acting/pitch-shifter.ts';
import { type Splice, spliceInto, spliceTimes } from '../acting/splice.ts';
import { createDeliverySpans, gapBeforeWord, mapTokensToWords } from '../acting/token-words.ts';
import { vocalSoundFrames } from '../acting/vocal-sound-contours.ts';
import { levelWindows, UtteranceLeveller } from '../loudness/utterance-leveller.ts';
import { type DurationPlan, planDurations } from './duration-plan.ts';
import { sliceFrames } from './frames.ts';
import { letterSymbols } from './letter-symbols.ts';
import { VoiceMedianPitch } from './median-pitch.ts';
import type { OpenedVits } from './open-graph.ts';
import type { PiperConfig } from './piper-config.ts';
import { decodeWindows, drawPrior } from './synthesis.ts';
import { predictLevels, predictLoudnessDeviation, type TextLoudness } from './text-loudness.ts';
import { type FrontResult, VitsModel } from './vits-model.ts';
import { VitsVocalSounds } from './vocal-sounds.ts';
import { timeWords } from './word-times.ts';

/** Voice name of a single-speaker model. */
export const ONLY_VOICE = 'default';

/** Loads an opened Piper model as an engine. */
export async function createVitsEngine(options: {
  readonly name: string;
  readonly opened: OpenedVits;
  readonly config: PiperConfig;
  readonly phonemizer: Phonemizer;
  readonly threads: number;
  /** Compensates the differences of loudness between texts; not known for every model. */
  readonly textLoudness?: TextLoudness;
}): Promise<TtsEngine> {
  const model = await VitsModel.open(options.opened, { threads: options.threads });
  return new VitsEngine({ ...options, model });
}

class VitsEngine implements TtsEngine {
  readonly name: string;
  readonly sampleRateHz: number;
  readonly capabilities;
  readonly languages: readonly Language[];
  readonly voices: readonly string[];
  readonly #model: VitsModel;
  readonly #config: PiperConfig;
  readonly #phonemizer: Phonemizer;
  readonly #rows: ReadonlyMap<string, number>;
  readonly #vocalSounds: VitsVocalSounds;
  readonly #medianPitch: VoiceMedianPitch;
  readonly #textLoudness: TextLoudness | undefined;
  readonly #meter: StepMeter;

  constructor(parts: {
    readonly name: string;
    readonly model: VitsModel;
    readonly config: PiperConfig;
    readonly phonemizer: Phonemizer;
    readonly textLoudness?: TextLoudness;
  }) {
    const { model, config } = parts;
    this.name = parts.name;
    this.sampleRateHz = config.sampleRateHz;
    this.capabilities = {
      speakerVectors: model.shape.speakerCount > 0,
      wordTimes: true,
      pitchAndEnergy: false,
      windowedDecoding: true,
    };
    this.languages = config.language === undefined ? [] : [config.language];
    this.#rows = speakerRows(model.shape.speakerCount, config);
    this.voices = [...this.#rows.keys()];
    this.#model = model;
    this.#medianPitch = new VoiceMedianPitch(model, config);
    this.#vocalSounds = new VitsVocalSounds(model, config, this.#medianPitch);
    this.#config = config;
    this.#phonemizer = parts.phonemizer;
    this.#textLoudness = parts.textLoudness;
    this.#meter = new StepMeter(config.sampleRateHz, model.shape.samplesPerFrame);
  }

  async *speak(utterance: Utterance, signal: AbortSignal): AsyncGenerator<SpeechPart> {
    signal.throwIfAborted();
    this.#assertLanguage(utterance.language);
    const speaker = this.#speakerOf(utterance.voice);
    const { noiseScale } = this.#config;
    const noise = new GaussianNoise(utterance.seed);
    const { text, tokens, front } = await this.#plan(utterance, speaker, noise);
    const tokenWords = mapTokensToWords(text, tokens.symbolIndex);
    const { deliveries, seed, speed } = utterance;
    const durations = planDurations(front.tokenFrames, speed, deliveries && { deliveries, tokenWords });
    const { tokenFrames, outputFrames } = durations;
    const { samplesPerFrame } = this.#model.shape;
    const ownTimes = timeWords({
      symbols: text.symbols,
      wordSpans: text.wordSpans,
      tokens,
      tokenFrames: outputFrames,
      secondsPerFrame: samplesPerFrame / this.sampleRateHz,
      wantsPhonemes: utterance.needsPhonemeTimes,
    });
    const hasWords = ownTimes.length > 0;

    const prior = drawPrior({ ...front, tokenFrames }, { noise, noiseScale });
    const gain = this.#levellingGain(front);
    const decoded = hasWords ? decodeWindows(this.#model, { prior, speaker, gain, signal }) : emptyStream();
    const windows = levelWindows(decoded, this.#leveller(utterance, { ...front, tokenFrames }));
    const stages = hasWords ? this.#compression(durations) : [];
    const correction = pitchCorrectionOf(utterance.voice);
    if (deliveries && hasWords) {
      const spans = createDeliverySpans(outputFrames, deliveries, { tokenWords, stepsPerFrame: 1 });
      stages.push(...(await this.#stages(spans, { speaker, correction, seed, signal })));
    } else if (correction !== undefined) {
      const length = Math.round(sum(outputFrames)) * samplesPerFrame;
      const { sampleRateHz } = this;
      stages.push(
        new PitchShifter({ sampleRateHz, length, factorAt: (_, hz) => correctionFactor(hz, correction) }),
      );
    }
    const splices = this.#splices(utterance, { speaker, signal }, (wordIndex) => {
      if (wordIndex === 0 || !hasWords) return { at: 0 };
      if (wordIndex >= utterance.words.length) return { at: Number.POSITIVE_INFINITY };
      const { from, to } = gapBeforeWord(wordIndex, tokenWords, outputFrames);
      const sampleOf = (frame: number) => Math.round(frame * samplesPerFrame);
      return { at: sampleOf((from + to) / 2), gap: { from: sampleOf(from), to: sampleOf(to) } };
    });
    let wordTimes: SpeechPart['wordTimes'] = spliceTimes(ownTimes, splices, this.sampleRateHz);
    for await (const samples of spliceInto(runStages(windows, stages), splices)) {
      signal.throwIfAborted();
      yield { samples, sampleRateHz: this.sampleRateHz, ...(wordTimes && { wordTimes }) };
      wordTimes = undefined;
    }
  }

  /** Runs the front with the preceding words as context, and removes them from the result. */
  async #plan({ precedingWords = [], words }: Utterance, speaker: Float32Array, noise: GaussianNoise) {
    const phonemized = this.#symbolsOf([...precedingWords, ...words]);
    const { ids, symbolIndex } = piperTokens(phonemized.symbols, this.#config.symbolIds);
    const { lengthScale, durationNoiseScale } = this.#config;
    const front = await this.#model.runFront({
      ids,
      speaker,
      lengthScale,
      durationNoiseScale,
      fillNoise: (values) => noise.fill(values),
    });
    const { text, firstToken } = dropPrecedingWords(phonemized, symbolIndex, precedingWords.length);
    return {
      text,
      tokens: { ids: ids.slice(firstToken), symbolIndex: symbolIndex.slice(firstToken) },
      front: {
        tokenFrames: front.tokenFrames.slice(firstToken),
        mean: sliceFrames(front.mean, firstToken, ids.length),
        logScale: sliceFrames(front.logScale, firstToken, ids.length),
      },
    };
  }

  /** The factor that makes texts equally loud, where their differences are known. */
  #levellingGain(front: FrontResult): number {
    if (this.#textLoudness === undefined) return 1;
    return decibelsToFactor(-predictLoudnessDeviation(front, this.#textLoudness));
  }

  /** The leveller of an utterance, if it is neutral and its loudness is given. */
  #leveller({ loudness, deliveries }: Utterance, front: FrontResult): UtteranceLeveller | undefined {
    if (loudness === undefined || deliveries !== undefined) return undefined;
    const leveller = new UtteranceLeveller({ loudness, meter: this.#meter });
    leveller.predict(predictLevels(front, this.#textLoudness));
    return leveller;
  }

  /** The time compression stage, where needed. */
  #compression({ isCompressed, outputFrames, sourceOf }: DurationPlan): AudioStage[] {
    if (!isCompressed) return [];
    const { samplesPerFrame } = this.#model.shape;
    const plan: CompressionPlan = {
      sampleRateHz: this.sampleRateHz,
      length: Math.round(sum(outputFrames)) * samplesPerFrame,
      sourceOf: (sample) => sourceOf(sample / samplesPerFrame) * samplesPerFrame,
    };
    return [new TimeCompressor(plan)];
  }

  /** Stages that apply deliveries to the synthesized speech. */
  async #stages(
    spans: readonly DeliverySpan[],
    { speaker, correction, seed, signal }: StagedVoice,
  ): Promise<AudioStage[]> {
    const { samplesPerFrame } = this.#model.shape;
    const clock = { sampleRateHz: this.sampleRateHz, samplesPerStep: samplesPerFrame };
    const tracks = createDeliveryTracks(spans, this.sampleRateHz / samplesPerFrame);
    const scalesRange = tracks.range.some((range) => range !== 1);
    const medianHz =
      correction?.middleHz ?? (scalesRange ? await this.#medianPitch.pitchHz(speaker, signal) : undefined);
    return createDeliveryStages(tracks, clock, { seed, medianHz, correction });
  }

  /** The insertions of an utterance; `sampleBefore` returns the position before a word. */
  #splices(
    { insertions = [], seed }: Utterance,
    voice: { readonly speaker: Float32Array; readonly signal: AbortSignal },
    placeBefore: (wordIndex: number) => Pick<Splice, 'at' | 'gap'>,
  ): Splice[] {
    return insertions.map(({ wordIndex, content }) => {
      const place = placeBefore(wordIndex);
      if (content.kind === 'pause') {
        const silence = createSilence(content.seconds, this.sampleRateHz);
        return { ...place, length: silence.length, render: () => silence };
      }
      const { sound, intensity } = content;
      const length =
        vocalSoundFrames(sound, this.#vocalSounds.framesPerSecond) * this.#model.shape.samplesPerFrame;
      return {
        ...place,
        length,
        render: () => this.#vocalSounds.render(sound, { ...voice, seed, intensity }),
      };
    });
  }

  close(): Promise<void> {
    return this.#model.close();
  }

  #symbolsOf(words: readonly SpokenWord[]): PhonemizedText {
    const { phonemeType, espeakVoice } = this.#config;
    if (phonemeType !== 'text') return this.#phonemizer.espeakIpa(words, espeakVoice);
    if (words.some((word) => word.phonemes)) {
      throw new ApiError(
        'invalid_phonemes',
        `The voice ${this.name} is trained on letters and does not accept phonemes.`,
      );
    }
    return letterSymbols(words);
  }

  /** A voice accepts every accent of its language and no other language. */
  #assertLanguage(language: Language): void {
    const own = this.#config.language;
    if (own === undefined || baseOf(own) === baseOf(language)) return;
    throw new ApiError('language_not_supported', `The voice speaks ${own}, and the text is ${language}.`);
  }

  #speakerOf(voice: EngineVoice): Float32Array {
    if (voice.kind === 'named') {
      const row = this.#rows.get(voice.name);
      if (row === undefined) {
        throw new ApiError('voice_not_found', `The engine ${this.name} has no voice named "${voice.name}".`);
      }
      return this.#model.speaker(row);
    }
    const { speakerCount, speakerSize } = this.#model.shape;
    if (speakerCount === 0) {
      throw new ApiError(
        'voice_not_found',
        `The engine ${this.name} has a single voice and accepts no other.`,
      );
    }
    const values = voice.kind === 'vector' ? voice.values : new Float32Array();
    if (values.length !== speakerSize || !values.every(Number.isFinite)) {
      throw new ApiError(
        'voice_not_found',
        `A voice of ${this.name} is a vector of ${speakerSize} finite values.`,
      );
    }
    return values;
  }
}

/** The voice whose synthesized speech is processed. */
interface StagedVoice {
  readonly speaker: Float32Array;
  readonly correction: PitchCorrection | undefined;
  readonly seed: number;
  readonly signal: AbortSignal;
}

function pitchCorrectionOf(voice: EngineVoice): PitchCorrection | undefined {
  return voice.kind === 'vector' ? voice.pitchCorrection : undefined;
}

function sum(counts: Float64Array): number {
  return counts.reduce((total, count) => total + count, 0);
}

async function* emptyStream(): AsyncGenerator<Float32Array> {}

/** Rows of the speakers by number and, where the model has names, by name. */
function speakerRows(speakerCount: number, config: PiperConfig): Map<string, number> {
  if (speakerCount === 0) return new Map([[ONLY_VOICE, 0]]);
  const rows = new Map<string, number>();
  for (let row = 0; row < speakerCount; row++) rows.set(String(row), row);
  for (const [name, row] of config.speakerRows) {
    // A numeric speaker name, as in LibriTTS, must not shadow the row of that number.
    if (row < speakerCount && !rows.has(name)) rows.set(name, row);
  }
  return rows;
}

function baseOf(language: Language): string {
  return language.split('-')[0]!;
}
