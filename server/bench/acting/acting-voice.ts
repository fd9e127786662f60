import { SampleQueue } from '../../src/audio/sample-queue.ts';
import type { EngineVoice, TtsEngine, Utterance } from '../../src/domain/engines/tts-engine.ts';
import { actPieces } from '../../src/domain/speech/acting/cue-scope.ts';
import { joinPieces } from '../../src/domain/speech/audio-pipeline.ts';
import { choosePieceLengths } from '../../src/domain/speech/choose-piece-lengths.ts';
import { TYPICAL_PAUSES } from '../../src/domain/speech/piece-pause.ts';
import { loudnessOfUtterances, type PieceEvent } from '../../src/domain/speech/piece-synthesizer.ts';
import { textToPieces } from '../../src/text/front-end/text-to-pieces.ts';

/** A voice of an engine. */
export interface ActingVoice {
  readonly engine: TtsEngine;
  readonly voice: EngineVoice;
  readonly loudnessLufs: number;
}

const READING = {
  language: 'en-US',
  normalize: true,
  cueStyle: 'both',
  ...choosePieceLengths({ chunkLength: 300, minChunkLength: 50, latency: 'normal' }),
} as const;
const TARGET_LUFS = -16;
const SEED = 1;

/** The samples of a text before encoding: pieces joined with pauses and normalised in loudness, as by the server. */
export async function renderText(voice: ActingVoice, text: string): Promise<Float32Array> {
  const loudness = { targetLufs: TARGET_LUFS };
  const samples = new SampleQueue();
  for await (const part of joinPieces(speak(voice, text), { speed: 1, volumeDb: 0, loudness })) {
    samples.push(part.samples);
  }
  return samples.takeAll();
}

async function* speak(
  { engine, voice, loudnessLufs }: ActingVoice,
  text: string,
): AsyncGenerator<PieceEvent> {
  const { language } = READING;
  const plan = {
    engine: engine.name,
    voice,
    language,
    voiceLufs: loudnessLufs,
    pauses: TYPICAL_PAUSES,
  } as const;
  const source = { text, start: 0 };
  const { signal } = new AbortController();
  for (const piece of actPieces(textToPieces(text, READING))) {
    const utterance: Utterance = {
      ...{ words: piece.words, language, speed: 1, seed: SEED + piece.index },
      voice: plan.voice,
      ...loudnessOfUtterances(plan, { targetLufs: TARGET_LUFS, volumeDb: 0 }),
      ...piece.acting?.utterance,
    };
    for await (const part of engine.speak(utterance, signal)) {
      yield { kind: 'audio', piece, plan, source, part };
    }
    yield { kind: 'end', piece, plan, source };
  }
}
