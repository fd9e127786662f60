import type { AsrEngine } from '../src/domain/engines/asr-engine.ts';
import { TranscriptionHost } from '../src/inference/runtime/transcription/transcription-host.ts';
import { answerQuestions } from './asked-process.ts';
import type { BareEngineSettings } from './bare-engine.ts';

/** The entry of a process that hears with an engine and does nothing else. */

export type HearingQuestion =
  | { readonly type: 'load'; readonly engine: string; readonly settings: BareEngineSettings }
  | { readonly type: 'hear'; readonly samples: Float32Array };

export interface HearingAnswer {
  readonly text: string;
  readonly cpuSeconds: number;
}

let engine: AsrEngine | undefined;

answerQuestions<HearingQuestion, HearingAnswer>(async (question) => {
  if (question.type === 'load') {
    engine = await new TranscriptionHost({ ...question.settings, assetsRoot: '' }).engine(question.engine);
    return { text: '', cpuSeconds: 0 };
  }
  if (engine === undefined) throw new Error('The engine was asked to hear before it was loaded.');
  const before = process.cpuUsage();
  const { signal } = new AbortController();
  const { text } = await engine.transcribe(question.samples, { signal, language: 'en' });
  const { user, system } = process.cpuUsage(before);
  return { text, cpuSeconds: (user + system) / 1e6 };
});
