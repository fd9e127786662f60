import { ASSETS_FOLDER } from '../../src/config/package-info.ts';
import type { EngineVoice, TtsEngine, Utterance } from '../../src/domain/engines/tts-engine.ts';
import { choosePieceLengths } from '../../src/domain/speech/choose-piece-lengths.ts';
import { PRECEDING_WORDS_MAX } from '../../src/domain/speech/piece-synthesizer.ts';
import { SpeechHost } from '../../src/inference/runtime/speech/speech-host.ts';
import { textToPieces } from '../../src/text/front-end/text-to-pieces.ts';
import type { SpokenWord } from '../../src/text/piece.ts';
import type { BareEngineCall, Cost } from './bare-engine.ts';
import { serveCalls } from './rpc-process.ts';

/** Entry point of a process that only runs a TTS engine, without streaming or encoding. */

/** Default piece lengths of the server, so that both synthesize the same pieces. */
const PIECES = {
  language: 'en-US',
  normalize: true,
  cueStyle: 'both',
  ...choosePieceLengths({ chunkLength: 300, minChunkLength: 50, latency: 'normal' }),
} as const;
const KOKORO_VOICE = 'af_heart';

let engine: TtsEngine | undefined;

serveCalls<BareEngineCall, Cost>(async (call) => {
  if (call.type === 'speak') return speak(call.text, call.usesServerWindows);
  const host = new SpeechHost({ ...call.settings, assetsRoot: ASSETS_FOLDER });
  engine = await host.engine(call.engine);
  return { cpuSeconds: 0, audioSeconds: 0, wallSeconds: 0 };
});

async function speak(text: string, usesServerWindows: boolean): Promise<Cost> {
  if (engine === undefined) throw new Error('The engine is not loaded.');
  const { signal } = new AbortController();
  const pieces = [...textToPieces(text, PIECES)];
  const voice = chooseVoice(engine);
  let audioSeconds = 0;
  let precedingWords: readonly SpokenWord[] = [];
  const startedAtMs = performance.now();
  const cpuBefore = process.cpuUsage();
  for (const [index, { words }] of pieces.entries()) {
    const utterance: Utterance = {
      words,
      precedingWords,
      language: PIECES.language,
      voice,
      speed: 1,
      seed: 1,
      isLatencyCritical: index === 0 || !usesServerWindows,
    };
    for await (const part of engine.speak(utterance, signal)) {
      audioSeconds += part.samples.length / part.sampleRateHz;
    }
    precedingWords = words.slice(-PRECEDING_WORDS_MAX);
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    cpuSeconds: (user + system) / 1e6,
    audioSeconds,
    wallSeconds: (performance.now() - startedAtMs) / 1000,
  };
}

function chooseVoice({ voices }: TtsEngine): EngineVoice {
  const name = voices.includes(KOKORO_VOICE) ? KOKORO_VOICE : voices[0];
  if (name === undefined) throw new Error('The engine has no voice.');
  return { kind: 'named', name };
}
