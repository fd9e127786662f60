import { ASSETS_FOLDER } from '../src/config/package-info.ts';
import type { EngineVoice, TtsEngine } from '../src/domain/engines/tts-engine.ts';
import { pieceLengths } from '../src/domain/speech/piece-lengths.ts';
import { WORDS_BEFORE } from '../src/domain/speech/piece-synthesizer.ts';
import { SpeechHost } from '../src/inference/runtime/speech/speech-host.ts';
import type { SpokenWord } from '../src/text/piece.ts';
import { readText } from '../src/text/reading/read-text.ts';
import { answerQuestions } from './asked-process.ts';
import type { BareEngineQuestion, Cost } from './bare-engine.ts';

/** The entry of a process that speaks with an engine and does nothing else: no messages, no audio file. */

/** How the server cuts a text when a request asks for nothing special, so that both speak the same pieces. */
const PIECES = {
  language: 'en-US',
  normalize: true,
  cueStyle: 'both',
  ...pieceLengths({ chunkLength: 300, minChunkLength: 50, latency: 'normal' }),
} as const;
const KOKORO_VOICE = 'af_heart';

let engine: TtsEngine | undefined;

answerQuestions<BareEngineQuestion, Cost>(async (question) => {
  if (question.type === 'speak') return speak(question.text, question.isToldAll);
  const host = new SpeechHost({ ...question.settings, assetsRoot: ASSETS_FOLDER });
  engine = await host.engine(question.engine);
  return { cpuSeconds: 0, audioSeconds: 0, wallSeconds: 0 };
});

async function speak(text: string, isToldAll: boolean): Promise<Cost> {
  if (engine === undefined) throw new Error('The engine was asked to speak before it was loaded.');
  const { signal } = new AbortController();
  const pieces = [...readText(text, PIECES)];
  const voice = chooseVoice(engine);
  let audioSeconds = 0;
  let before: readonly SpokenWord[] = [];
  const startedAtMs = performance.now();
  const cpuBefore = process.cpuUsage();
  for (const [index, { words }] of pieces.entries()) {
    const isAwaited = index === 0 || !isToldAll;
    const utterance = { words, before, language: PIECES.language, voice, speed: 1, seed: 1, isAwaited };
    for await (const part of engine.speak(utterance, signal)) {
      audioSeconds += part.samples.length / part.sampleRateHz;
    }
    before = words.slice(-WORDS_BEFORE);
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
