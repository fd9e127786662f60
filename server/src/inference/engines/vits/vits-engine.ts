import { GaussianNoise } from '../../../audio/dsp/gaussian-noise.ts';
import { pause } from '../../../audio/dsp/silence.ts';
import { type CompressionPlan, TimeCompressor } from '../../../audio/dsp/time-compressor.ts';
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
import { ownTokens } from '../../phonemizer/tokens/model-tokens.ts';
import { piperTokens } from '../../phonemizer/tokens/piper-tokens.ts';
import { changedMelody } from '../acting/pitch-contour.ts';
import { PitchShifter } from '../acting/pitch-shifter.ts';
import { soundFrames } from '../acting/sound-contours.ts';
import { type Splice, spliceInto, spliceTimes } from '../acting/splice.ts';
import { deliverySpans, frameBefore, wordsOfTokens } from '../acting/token-words.ts';
import { type DeliverySpan, trackDeliveries } from '../acting/tracks.ts';
import { throughStages, type VoiceStage } from '../acting/voice-stage.ts';
import { createVoiceStages } from '../acting/voice-stages.ts';
import { sliceFrames } from './frames.ts';
import { letterSymbols } from './letter-symbols.ts';
import type { OpenedVits } from './open-graph.ts';
import { planTime, type SpokenTime } from './pace.ts';
import type { PiperConfig } from './piper-config.ts';
import { VitsSounds } from './sounds.ts';
import { decodeWindows, drawPrior } from './synthesis.ts';
import { VitsModel } from './vits-model.ts';
import { VoiceMiddle } from './voice-middle.ts';
import { timeWords } from './word-times.ts';

/** The name of the only voice of a model that was trained on one. */
export const ONLY_VOICE = 'default';

/** Loads an opened Piper model as an engine. */
export async function createVitsEngine(options: {
  readonly name: string;
  readonly opened: OpenedVits;
  readonly config: PiperConfig;
  readonly phonemizer: Phonemizer;
  readonly threads: number;
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
  readonly #sounds: VitsSounds;
  readonly #middle: VoiceMiddle;

  constructor(parts: {
    readonly name: string;
    readonly model: VitsModel;
    readonly config: PiperConfig;
    readonly phonemizer: Phonemizer;
  }) {
    const { model, config } = parts;
    this.name = parts.name;
    this.sampleRateHz = config.sampleRateHz;
    this.capabilities = {
      voiceAsVector: model.shape.speakerCount > 0,
      durations: true,
      pitchAndEnergy: false,
      windowedDecoding: true,
    };
    this.languages = config.language === undefined ? [] : [config.language];
    this.#rows = speakerRows(model.shape.speakerCount, config);
    this.voices = [...this.#rows.keys()];
    this.#model = model;
    this.#middle = new VoiceMiddle(model, config);
    this.#sounds = new VitsSounds(model, config, this.#middle);
    this.#config = config;
    this.#phonemizer = parts.phonemizer;
  }

  async *speak(utterance: Utterance, signal: AbortSignal): AsyncGenerator<SpeechPart> {
    signal.throwIfAborted();
    this.#assertLanguage(utterance.language);
    const speaker = this.#speakerOf(utterance.voice);
    const { noiseScale } = this.#config;
    const noise = new GaussianNoise(utterance.seed);
    const { text, tokens, front } = await this.#plan(utterance, speaker, noise);
    const tokenWords = wordsOfTokens(text, tokens.symbolIndex);
    const { deliveries, seed, speed } = utterance;
    const time = planTime(front.tokenFrames, speed, deliveries && { deliveries, tokenWords });
    const { tokenFrames, heardFrames } = time;
    const { samplesPerFrame } = this.#model.shape;
    const ownTimes = timeWords({
      symbols: text.symbols,
      wordSpans: text.wordSpans,
      tokens,
      tokenFrames: heardFrames,
      secondsPerFrame: samplesPerFrame / this.sampleRateHz,
      wantsPhonemes: utterance.wantsPhonemes,
    });
    const hasWords = ownTimes.length > 0;

    const prior = drawPrior({ ...front, tokenFrames }, { noise, noiseScale });
    const windows = hasWords ? decodeWindows(this.#model, { prior, speaker, signal }) : nothing();
    const stages = hasWords ? this.#compression(time) : [];
    const melody = melodyOf(utterance.voice);
    if (deliveries && hasWords) {
      const spans = deliverySpans(heardFrames, deliveries, { tokenWords, stepsPerFrame: 1 });
      stages.push(...(await this.#stages(spans, { speaker, melody, seed, signal })));
    } else if (melody !== undefined) {
      const length = Math.round(sum(heardFrames)) * samplesPerFrame;
      const { sampleRateHz } = this;
      stages.push(new PitchShifter({ sampleRateHz, length, factorAt: (_, hz) => changedMelody(hz, melody) }));
    }
    const splices = this.#splices(utterance, { speaker, signal }, (wordIndex) => {
      if (wordIndex === 0 || !hasWords) return 0;
      if (wordIndex >= utterance.words.length) return Number.POSITIVE_INFINITY;
      return Math.round(frameBefore(wordIndex, tokenWords, heardFrames) * samplesPerFrame);
    });
    let wordTimes: SpeechPart['wordTimes'] = spliceTimes(ownTimes, splices, this.sampleRateHz);
    for await (const samples of spliceInto(throughStages(windows, stages), splices)) {
      signal.throwIfAborted();
      yield { samples, sampleRateHz: this.sampleRateHz, ...(wordTimes && { wordTimes }) };
      wordTimes = undefined;
    }
  }

  /** What the model wants to say. What was said before is told to it, and left out of what it says. */
  async #plan({ precedingWords = [], words }: Utterance, speaker: Float32Array, noise: GaussianNoise) {
    const told = this.#symbolsOf([...precedingWords, ...words]);
    const { ids, symbolIndex } = piperTokens(told.symbols, this.#config.symbolIds);
    const { lengthScale, durationNoiseScale } = this.#config;
    const front = await this.#model.runFront({
      ...{ ids, speaker, lengthScale, durationNoiseScale },
      fillNoise: (values) => noise.fill(values),
    });
    const { text, firstToken } = ownTokens(told, symbolIndex, precedingWords.length);
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

  /** What makes finished speech as fast as it shall be heard. */
  #compression({ isCompressed, heardFrames, sourceOf }: SpokenTime): VoiceStage[] {
    if (!isCompressed) return [];
    const { samplesPerFrame } = this.#model.shape;
    const plan: CompressionPlan = {
      sampleRateHz: this.sampleRateHz,
      length: Math.round(sum(heardFrames)) * samplesPerFrame,
      sourceOf: (heard) => sourceOf(heard / samplesPerFrame) * samplesPerFrame,
    };
    return [new TimeCompressor(plan)];
  }

  /** What the speech goes through to be said as it shall. */
  async #stages(
    spans: readonly DeliverySpan[],
    { speaker, melody, seed, signal }: StagedVoice,
  ): Promise<VoiceStage[]> {
    const { samplesPerFrame } = this.#model.shape;
    const clock = { sampleRateHz: this.sampleRateHz, samplesPerStep: samplesPerFrame };
    const tracks = trackDeliveries(spans, this.sampleRateHz / samplesPerFrame);
    const isStretched = tracks.range.some((range) => range !== 1);
    const middleHz =
      melody?.middleHz ?? (isStretched ? await this.#middle.pitchHz(speaker, signal) : undefined);
    return createVoiceStages(tracks, clock, { seed, middleHz, melody });
  }

  /** What is heard between the words, at the samples that `sampleBefore` gives for them. */
  #splices(
    { insertions = [], seed }: Utterance,
    voice: { readonly speaker: Float32Array; readonly signal: AbortSignal },
    sampleBefore: (wordIndex: number) => number,
  ): Splice[] {
    return insertions.map(({ wordIndex, content }) => {
      const at = sampleBefore(wordIndex);
      if (content.kind === 'pause') {
        const silence = pause(content.seconds, this.sampleRateHz);
        return { at, length: silence.length, make: () => silence };
      }
      const { sound, intensity } = content;
      const length = soundFrames(sound, this.#sounds.framesPerSecond) * this.#model.shape.samplesPerFrame;
      return { at, length, make: () => this.#sounds.make(sound, { ...voice, seed, intensity }) };
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
        `The voice reads letters: ${this.name} can be given no phonemes.`,
      );
    }
    return letterSymbols(words);
  }

  /** A voice reads its own language whatever its accent, and no other. */
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
      throw new ApiError('voice_not_found', `The engine ${this.name} has one voice and takes no other.`);
    }
    const values = voice.kind === 'vector' ? voice.values : new Float32Array();
    if (values.length !== speakerSize || !values.every(Number.isFinite)) {
      throw new ApiError('voice_not_found', `A voice of ${this.name} is a vector of ${speakerSize} numbers.`);
    }
    return values;
  }
}

/** Whose finished speech is changed. */
interface StagedVoice {
  readonly speaker: Float32Array;
  readonly melody: PitchCorrection | undefined;
  readonly seed: number;
  readonly signal: AbortSignal;
}

function melodyOf(voice: EngineVoice): PitchCorrection | undefined {
  return voice.kind === 'vector' ? voice.melody : undefined;
}

function sum(counts: Float64Array): number {
  return counts.reduce((total, count) => total + count, 0);
}

async function* nothing(): AsyncGenerator<Float32Array> {}

/** Every speaker by its number, and by its name where the model has names. */
function speakerRows(speakerCount: number, config: PiperConfig): Map<string, number> {
  if (speakerCount === 0) return new Map([[ONLY_VOICE, 0]]);
  const rows = new Map<string, number>();
  for (let row = 0; row < speakerCount; row++) rows.set(String(row), row);
  for (const [name, row] of config.speakerRows) {
    // A speaker named by a number, as in LibriTTS, must not hide the row of that number.
    if (row < speakerCount && !rows.has(name)) rows.set(name, row);
  }
  return rows;
}

function baseOf(language: Language): string {
  return language.split('-')[0]!;
}
