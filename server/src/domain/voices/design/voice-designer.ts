import { createHash, randomInt } from 'node:crypto';
import { encodeWavFile } from '../../../audio/encode/wav.ts';
import type { Pcm } from '../../../audio/pcm.ts';
import { ApiError } from '../../../errors.ts';
import { clonedVoice } from '../spoken-voice.ts';
import { withinTime } from '../time-limit.ts';
import type { Voice } from '../voice.ts';
import type { ClonedVoice } from '../voice-cloner.ts';
import type { VoiceDescription, VoiceTargets } from './described-voice.ts';
import type { DesignSigner } from './design-signer.ts';
import { readDescription } from './read-description.ts';

/** Makes up voices after a wish. Implemented on the worker processes. */
export interface VoiceMaker {
  /** So many voices, as they are found. Equal jobs give equal voices. */
  design(
    job: { readonly wish: VoiceTargets; readonly count: number; readonly seed: number },
    signal: AbortSignal,
  ): AsyncIterable<ClonedVoice>;
}

/** Speaks a whole text with a voice that is in no catalogue. */
export type SpeakDesigned = (
  voice: Voice,
  wish: { readonly text: string; readonly speed: number; readonly seed: number },
  signal: AbortSignal,
) => Promise<Pcm>;

/** A checked request for voices. */
export interface DesignRequest {
  readonly instruction: string;
  /** What the candidates say; undefined leaves it to the server. */
  readonly text: string | undefined;
  readonly count: number;
  /** On top of the pace that the description asks for. */
  readonly speed: number;
  /** Undefined: another one each time. */
  readonly seed: number | undefined;
}

/** A voice to choose. */
export interface DesignCandidate {
  readonly id: string;
  readonly voice: ClonedVoice;
  readonly wav: Uint8Array;
  readonly sampleRateHz: number;
  readonly durationMs: number;
  /** How fast it speaks, against its own pace. */
  readonly speedFactor: number;
  /** SHA-256 of the WAV file, in hex. */
  readonly sha256: string;
  /** Lets `POST /model` keep this very voice. */
  readonly signature: string;
}

/** What became of a request. */
export interface VoiceDesign {
  readonly description: VoiceDescription;
  readonly text: string;
  readonly seed: number;
  readonly candidates: readonly DesignCandidate[];
}

export interface VoiceDesignerDeps {
  /** Absent where no engine is installed that could. */
  readonly maker?: VoiceMaker | undefined;
  readonly speak: SpeakDesigned;
  readonly signer: DesignSigner;
  readonly settings: { readonly voiceMakingMaxSeconds: number };
}

/** What candidates say unless the client knows better: one plain sentence, since greetings and questions are said higher. */
export const DESIGN_TEXT =
  'The road ran along the river for a mile or two, and most evenings an old boat lay there in the reeds.';
/** Seeds that every JSON parser reads as they are. */
const SEEDS = 2 ** 31;
const SPEED_MIN = 0.5;
const SPEED_MAX = 2;

/** Makes voices from descriptions. Keeps nothing: all that a candidate needs to be kept is in its signature. */
export class VoiceDesigner {
  readonly #deps: VoiceDesignerDeps;

  constructor(deps: VoiceDesignerDeps) {
    this.#deps = deps;
  }

  /** Throws `cloning_unavailable`, `engine_unavailable` when it takes too long, or what speaking throws. */
  async design(request: DesignRequest, signal: AbortSignal): Promise<VoiceDesign> {
    const { maker } = this.#deps;
    if (maker === undefined) {
      throw new ApiError(
        'cloning_unavailable',
        'No engine that can make voices is installed on this server.',
      );
    }
    const description = readDescription(request.instruction);
    const seed = request.seed ?? randomInt(SEEDS);
    const speed = Math.min(Math.max(request.speed * description.pace, SPEED_MIN), SPEED_MAX);
    const text = request.text ?? DESIGN_TEXT;
    const candidates: DesignCandidate[] = [];
    const job = { wish: description.wish, count: request.count, seed };
    const limit = { seconds: this.#deps.settings.voiceMakingMaxSeconds, what: 'Making voices', signal };
    await withinTime(limit, async (within) => {
      for await (const voice of maker.design(job, within)) {
        candidates.push(await this.#candidate(voice, { text, speed, seed }, within));
      }
    });
    return { description, text, seed, candidates };
  }

  /** The voices of candidates that come back. Throws `invalid_parameter` for one that was not made here. */
  recall(
    candidates: readonly { readonly signature: string; readonly sha256: string }[],
  ): readonly ClonedVoice[] {
    return candidates.map(({ signature, sha256 }) => this.#deps.signer.open(signature, sha256));
  }

  async #candidate(
    voice: ClonedVoice,
    wish: { readonly text: string; readonly speed: number; readonly seed: number },
    signal: AbortSignal,
  ): Promise<DesignCandidate> {
    const id = createHash('sha256').update('mynah:design').update(voice.vector).digest('hex').slice(0, 32);
    const spoken = clonedVoice(voice, { ...UNNAMED, id, name: id });
    const pcm = await this.#deps.speak(spoken, wish, signal);
    const wav = encodeWavFile(pcm);
    const sha256 = sha256Of(wav);
    return {
      id,
      voice,
      wav,
      sampleRateHz: pcm.sampleRateHz,
      durationMs: Math.round((pcm.samples.length / pcm.sampleRateHz) * 1000),
      speedFactor: Number(wish.speed.toFixed(3)),
      sha256,
      signature: this.#deps.signer.sign(voice, sha256),
    };
  }
}

const UNNAMED = { title: '', description: '', tags: [], isListed: false, createdAtMs: 0 } as const;

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
