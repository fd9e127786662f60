import { createHash, randomInt } from 'node:crypto';
import { encodeWavFile } from '../../../audio/encode/wav.ts';
import type { Pcm } from '../../../audio/pcm.ts';
import { ApiError } from '../../../errors.ts';
import { withTimeLimit } from '../time-limit.ts';
import type { Voice } from '../voice.ts';
import type { ClonedVoice } from '../voice-cloner.ts';
import { voiceFromClone } from '../voice-from-clone.ts';
import type { DesignSigner } from './design-signer.ts';
import { parseDescription } from './parse-description.ts';
import type { VoiceDescription, VoiceTargets } from './voice-description.ts';

/** Generates voices for target traits. Implemented by the worker processes. */
export interface VoiceGenerator {
  /** Yields `count` voices. Equal tasks give equal voices. */
  design(
    task: { readonly targets: VoiceTargets; readonly count: number; readonly seed: number },
    signal: AbortSignal,
  ): AsyncIterable<ClonedVoice>;
}

/** Synthesizes a text with a voice that is not in the catalogue. */
export type SpeakDesigned = (voice: Voice, options: DesignSpeech, signal: AbortSignal) => Promise<Pcm>;

/** How a candidate is spoken. */
export interface DesignSpeech {
  /** The account whose watermark the audio carries. */
  readonly accountId: string;
  readonly text: string;
  readonly speed: number;
  readonly seed: number;
}

/** A validated request for designed voices. */
export interface DesignRequest {
  readonly accountId: string;
  readonly instruction: string;
  /** Text of the candidates; undefined: `DESIGN_TEXT`. */
  readonly text: string | undefined;
  readonly count: number;
  /** Multiplied with the speaking rate of the description. */
  readonly speed: number;
  /** Undefined: random. */
  readonly seed: number | undefined;
}

/** A designed voice with a sample. */
export interface DesignCandidate {
  readonly id: string;
  readonly voice: ClonedVoice;
  readonly wav: Uint8Array;
  readonly sampleRateHz: number;
  readonly durationMs: number;
  /** Speed of the sample relative to the voice's own speaking rate. */
  readonly speedFactor: number;
  /** SHA-256 of the WAV file, in hex. */
  readonly sha256: string;
  /** Contains the voice; `POST /model` stores the voice from it. */
  readonly signature: string;
}

/** The result of a request. */
export interface VoiceDesign {
  readonly description: VoiceDescription;
  readonly text: string;
  readonly seed: number;
  readonly candidates: readonly DesignCandidate[];
}

export interface VoiceDesignerDeps {
  /** Absent when no engine for voice design is installed. */
  readonly generator?: VoiceGenerator | undefined;
  readonly speak: SpeakDesigned;
  readonly signer: DesignSigner;
  readonly settings: { readonly voiceCreationMaxSeconds: number };
}

/** Default text of candidates: one statement, because greetings and questions have a higher pitch. */
export const DESIGN_TEXT =
  'The road ran along the river for a mile or two, and most evenings an old boat lay there in the reeds.';
/** Upper limit of random seeds. Exact in every JSON parser. */
const SEEDS = 2 ** 31;
const SPEED_MIN = 0.5;
const SPEED_MAX = 2;

/** Designs voices from descriptions. Stateless: the signature of a candidate contains its voice. */
export class VoiceDesigner {
  readonly #deps: VoiceDesignerDeps;

  constructor(deps: VoiceDesignerDeps) {
    this.#deps = deps;
  }

  /** Throws `cloning_unavailable`, `engine_unavailable` after the time limit, or an error of the synthesis. */
  async design(request: DesignRequest, signal: AbortSignal): Promise<VoiceDesign> {
    const { generator } = this.#deps;
    if (generator === undefined) {
      throw new ApiError('cloning_unavailable', 'No engine for voice design is installed on this server.');
    }
    const description = parseDescription(request.instruction);
    const seed = request.seed ?? randomInt(SEEDS);
    const speed = Math.min(Math.max(request.speed * description.speakingRate, SPEED_MIN), SPEED_MAX);
    const text = request.text ?? DESIGN_TEXT;
    const candidates: DesignCandidate[] = [];
    const task = { targets: description.targets, count: request.count, seed };
    const limit = {
      seconds: this.#deps.settings.voiceCreationMaxSeconds,
      operation: 'The voice design',
      signal,
    };
    await withTimeLimit(limit, async (within) => {
      for await (const voice of generator.design(task, within)) {
        candidates.push(
          await this.#createCandidate(voice, { accountId: request.accountId, text, speed, seed }, within),
        );
      }
    });
    return { description, text, seed, candidates };
  }

  /** The voices of candidates that a client returns. Throws `invalid_parameter` for an invalid signature. */
  restore(
    candidates: readonly { readonly signature: string; readonly sha256: string }[],
  ): readonly ClonedVoice[] {
    return candidates.map(({ signature, sha256 }) => this.#deps.signer.verify(signature, sha256));
  }

  async #createCandidate(
    voice: ClonedVoice,
    options: DesignSpeech,
    signal: AbortSignal,
  ): Promise<DesignCandidate> {
    const id = createHash('sha256').update('mynah:design').update(voice.vector).digest('hex').slice(0, 32);
    const speakable = voiceFromClone(voice, { ...UNNAMED, id, name: id });
    const pcm = await this.#deps.speak(speakable, options, signal);
    const wav = encodeWavFile(pcm);
    const sha256 = sha256Of(wav);
    return {
      id,
      voice,
      wav,
      sampleRateHz: pcm.sampleRateHz,
      durationMs: Math.round((pcm.samples.length / pcm.sampleRateHz) * 1000),
      speedFactor: Number(options.speed.toFixed(3)),
      sha256,
      signature: this.#deps.signer.sign(voice, sha256),
    };
  }
}

const UNNAMED = { title: '', description: '', tags: [], isListed: false, createdAtMs: 0 } as const;

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
