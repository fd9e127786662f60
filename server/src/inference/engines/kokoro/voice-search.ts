import { readFile } from 'node:fs/promises';
import type { TtsEngineContext } from '../../../domain/engines/tts-engine.ts';
import type { VoiceSearch } from '../../../domain/engines/voice-search.ts';
import { SENTENCE_READING } from '../../../text/front-end/sentence-reading.ts';
import { textToPieces } from '../../../text/front-end/text-to-pieces.ts';
import { kokoroTokens, readKokoroTokenTable } from '../../phonemizer/tokens/kokoro-tokens.ts';
import { floatOutput } from '../onnx/float-output.ts';
import { type InferenceSession, Tensor } from '../onnx/onnxruntime.ts';
import { openSession } from '../onnx/session.ts';
import { readXVectorWeights } from '../speaker-embedding/x-vector-weights.ts';
import { MEASURES } from '../voice-encoder/measures.ts';
import { MEL_BANDS } from '../voice-encoder/speech-frames.ts';
import type { OnnxVoiceEncoder } from '../voice-encoder/voice-encoder.ts';
import { Adam } from './adam.ts';
import {
  type CloneVector,
  movePitch,
  type ProsodyVoice,
  prosodyVoiceFor,
  readCloneVector,
  writeCloneVector,
} from './clone-vector.ts';
import { MODEL } from './cut-graph.ts';
import { BINS, HOPS_PER_FRAME, UtteranceExcitation } from './excitation.ts';
import { FEATURE_ROWS, type Features, sliceFeatures } from './features.ts';
import { loadFront } from './front.ts';
import { Styles } from './styles.ts';

/** Frames of a trial, fixed in `refinement.onnx`. */
const TRIAL_FRAMES = 120;
const SENTENCES = [
  'They had been friends since the day they met on the boat.',
  'The rain stopped before noon, and the streets were dry again by one.',
  'What happened to the picture that used to hang above the fire?',
];
/** Change of a value of the voice vector per unit of the search. */
const STEP = 0.1;
/** Weight of the mean squared distance from the start, in those units. */
const ANCHOR = 0.01;
const RATE = 0.15;
/** The rate falls to this share of it. */
const LAST_RATE = 0.05;
const PITCH_CORRECTION_MAX_OCTAVES = 0.15;
const EMBEDDING_SIZE = 256;

interface Sessions {
  /** Measures and mel energies of a recording to a speaker embedding. */
  readonly speaker: InferenceSession;
  /** Speaker embedding to voice vector. */
  readonly voice: InferenceSession;
  /** Gradient of the similarity of a trial, with respect to the voice vector. */
  readonly refinement: InferenceSession;
}

interface DescentOptions {
  readonly steps: number;
  readonly signal: AbortSignal;
  /** Runs one step when it is the search's turn. */
  readonly inTurn?: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

interface SearchParts {
  readonly sessions: Sessions;
  readonly xVectorWeights: Readonly<Record<string, Tensor>>;
  readonly encoder: Pick<OnnxVoiceEncoder, 'speechMel'>;
  /** The features of the sentences by a prosody voice. */
  readonly featuresOf: (voice: ProsodyVoice) => Promise<readonly Features[]>;
}

/** The search for cloned voices of the small decoder. Its gradients are exact up to the silence in a trial. */
export class KokoroVoiceSearch implements VoiceSearch {
  readonly #parts: SearchParts;
  readonly #features = new Map<string, Promise<readonly Features[]>>();

  private constructor(parts: SearchParts) {
    this.#parts = parts;
  }

  static async open(
    context: TtsEngineContext,
    encoder: Pick<OnnxVoiceEncoder, 'speechMel'>,
  ): Promise<KokoroVoiceSearch> {
    const asset = (name: string) => context.asset(`small-decoder/${name}`);
    const [speaker, voice, refinement, xVectorWeights] = await Promise.all([
      openSession(asset('speaker.onnx'), context),
      openSession(asset('voice.onnx'), context),
      openSession(asset('refinement.onnx'), { threads: context.threads, mayRound: false }),
      readXVectorWeights(context),
    ]);
    const sessions = { speaker, voice, refinement };
    const featuresOf = (prosody: ProsodyVoice) => trialFeatures(context, prosody);
    return new KokoroVoiceSearch({ sessions, xVectorWeights, encoder, featuresOf });
  }

  accepts(vector: Float32Array): boolean {
    return readCloneVector({ kind: 'vector', values: vector }) !== undefined;
  }

  async predict(speech: Float32Array, target: Float32Array): Promise<Float32Array> {
    const { sessions, encoder } = this.#parts;
    const mel = await encoder.speechMel(speech);
    const embedded = await sessions.speaker.run({
      measures: new Tensor('float32', target, [1, MEASURES.count]),
      mel: new Tensor('float32', mel, [1, mel.length / MEL_BANDS, MEL_BANDS]),
    });
    const embedding = new Tensor('float32', floatOutput(embedded, 'embedding'), [1, EMBEDDING_SIZE]);
    const decoderVoice = floatOutput(await sessions.voice.run({ embedding }), 'voice');
    return writeCloneVector({
      decoderVoice,
      medianHz: 2 ** target[MEASURES.pitch.from]!,
      rangeOctaves: target[MEASURES.pitchRange.from]!,
    });
  }

  async descend(
    vector: Float32Array,
    target: Float32Array,
    { steps, signal, inTurn = (work) => work() }: DescentOptions,
  ): Promise<Float32Array> {
    const clone = requireCloneVector(vector);
    const trials = await this.#trials(clone);
    const targets = {
      target_x_vector: measuresTensor(target, MEASURES.xVector),
      target_d_vector: measuresTensor(target, MEASURES.dVector),
      target_spectrum: measuresTensor(target, MEASURES.spectrum),
    };
    const moved = new Float32Array(clone.decoderVoice.length);
    const voiceAt = () => clone.decoderVoice.map((value, index) => value + STEP * moved[index]!);
    const optimizer = new Adam(moved.length);
    for (let step = 0; step < steps; step++) {
      signal.throwIfAborted();
      const inputs = {
        ...this.#parts.xVectorWeights,
        ...trials[step % trials.length],
        ...targets,
        voice: new Tensor('float32', voiceAt(), [1, moved.length]),
      };
      const outputs = await inTurn(() => this.#parts.sessions.refinement.run(inputs));
      const slopes = floatOutput(outputs, 'gradient');
      const gradient = slopes.map(
        (slope, index) => STEP * slope + (2 * ANCHOR * moved[index]!) / moved.length,
      );
      optimizer.step(moved, gradient, RATE * (1 - (1 - LAST_RATE) * (step / steps)));
    }
    return writeCloneVector({ ...clone, decoderVoice: voiceAt() });
  }

  matchPitch(vector: Float32Array, target: Float32Array, measures: Float32Array): Float32Array {
    const clone = requireCloneVector(vector);
    const missing = target[MEASURES.pitch.from]! - measures[MEASURES.pitch.from]!;
    const octaves = Math.min(PITCH_CORRECTION_MAX_OCTAVES, Math.max(-PITCH_CORRECTION_MAX_OCTAVES, missing));
    return writeCloneVector({ ...clone, medianHz: clone.medianHz * 2 ** octaves });
  }

  async close(): Promise<void> {
    await Promise.all(
      Object.values(this.#parts.sessions).map((session: InferenceSession) => session.release()),
    );
  }

  /** Inputs of the gradient for each sentence, at the pitch of the clone. */
  async #trials(clone: CloneVector): Promise<readonly Record<string, Tensor>[]> {
    const prosody = prosodyVoiceFor(SENTENCE_READING.language, clone.medianHz);
    let features = this.#features.get(prosody.name);
    if (features === undefined) {
      features = this.#parts.featuresOf(prosody);
      this.#features.set(prosody.name, features);
    }
    return (await features).map((trial, seed) =>
      trialInputs({ ...trial, f0: movePitch(trial.f0, prosody, clone) }, seed),
    );
  }
}

function requireCloneVector(vector: Float32Array): CloneVector {
  const clone = readCloneVector({ kind: 'vector', values: vector });
  if (clone === undefined) throw new RangeError('The vector is not that of a cloned voice of Kokoro.');
  return clone;
}

function measuresTensor(measures: Float32Array, { from, to }: { from: number; to: number }): Tensor {
  return new Tensor('float32', measures.slice(from, to), [to - from]);
}

/** Runs the front over the sentences, and takes a trial from the middle of each. */
async function trialFeatures(context: TtsEngineContext, prosody: ProsodyVoice): Promise<readonly Features[]> {
  const [front, styles, phonemizer, tokenizer] = await Promise.all([
    loadFront(context),
    context.folder('kokoro-voices').then((folder) => Styles.inFolder(folder)),
    context.phonemizer(),
    context.file(MODEL, 'tokenizer.json').then((path) => readFile(path, 'utf8')),
  ]);
  const tokenTable = readKokoroTokenTable(tokenizer);
  const trials: Features[] = [];
  for (const sentence of SENTENCES) {
    const words = [...textToPieces(sentence, SENTENCE_READING)].flatMap((piece) => piece.words);
    const { ids } = kokoroTokens(phonemizer.kokoro(words, SENTENCE_READING.language).symbols, tokenTable);
    const style = await styles.row({ kind: 'named', name: prosody.name }, ids.length);
    const features = await front.run(ids, style, 1);
    const from = Math.max(0, Math.floor((features.frames - TRIAL_FRAMES) / 2));
    trials.push(sliceFeatures(features, from, from + TRIAL_FRAMES));
  }
  await front.close();
  return trials;
}

function trialInputs(features: Features, seed: number): Record<string, Tensor> {
  const excitation = new UtteranceExcitation(features.f0, seed);
  const spectra = excitation.spectra(0, HOPS_PER_FRAME * TRIAL_FRAMES);
  const contour = (values: Float32Array) => new Tensor('float32', values, [1, 2 * TRIAL_FRAMES]);
  const spectrum = (values: Float32Array) =>
    new Tensor('float32', values, [1, HOPS_PER_FRAME * TRIAL_FRAMES, BINS]);
  return {
    asr: new Tensor('float32', features.asr, [1, FEATURE_ROWS, TRIAL_FRAMES]),
    F0: contour(features.f0),
    N: contour(features.energy),
    cyc: contour(excitation.phase),
    pulse_real: spectrum(spectra.pulseReal),
    pulse_imaginary: spectrum(spectra.pulseImaginary),
    noise_real: spectrum(spectra.noiseReal),
    noise_imaginary: spectrum(spectra.noiseImaginary),
    modulated_real: spectrum(spectra.modulatedReal),
    modulated_imaginary: spectrum(spectra.modulatedImaginary),
  };
}
