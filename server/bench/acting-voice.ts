import { SampleQueue } from '../src/audio/sample-queue.ts';
import type { TtsEngine, Utterance } from '../src/domain/engines/tts-engine.ts';
import { performPieces } from '../src/domain/speech/acting/cue-scope.ts';
import { joinPieces } from '../src/domain/speech/audio-pipeline.ts';
import { pieceLengths } from '../src/domain/speech/piece-lengths.ts';
import type { PieceEvent } from '../src/domain/speech/piece-synthesizer.ts';
import { readText } from '../src/text/reading/read-text.ts';

/** Who speaks. */
export interface ActingVoice {
  readonly engine: TtsEngine;
  readonly name: string;
  readonly loudnessLufs: number;
}

const READING = {
  language: 'en-US',
  normalize: true,
  cueStyle: 'both',
  ...pieceLengths({ chunkLength: 300, minChunkLength: 50, latency: 'normal' }),
} as const;
const TARGET_LUFS = -16;
const SEED = 1;

/** What a client hears of a text, before it is encoded: pieces joined, paused and levelled as the server does. */
export async function hearText(voice: ActingVoice, text: string): Promise<Float32Array> {
  const levelling = { targetLufs: TARGET_LUFS };
  const heard = new SampleQueue();
  for await (const part of joinPieces(speak(voice, text), { speed: 1, volumeDb: 0, levelling })) {
    heard.push(part.samples);
  }
  return heard.takeAll();
}

async function* speak({ engine, name, loudnessLufs }: ActingVoice, text: string): AsyncGenerator<PieceEvent> {
  const { language } = READING;
  const plan = {
    engine: engine.name,
    voice: { kind: 'named', name },
    language,
    voiceLufs: loudnessLufs,
  } as const;
  const source = { text, start: 0 };
  const { signal } = new AbortController();
  for (const piece of performPieces(readText(text, READING))) {
    const utterance: Utterance = {
      ...{ words: piece.words, language, speed: 1, seed: SEED + piece.index },
      voice: plan.voice,
      ...piece.performance?.script,
    };
    for await (const part of engine.speak(utterance, signal)) {
      yield { kind: 'audio', piece, plan, source, part };
    }
    yield { kind: 'end', piece, plan, source };
  }
}
