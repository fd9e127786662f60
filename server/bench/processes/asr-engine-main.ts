import type { AsrEngine } from '../../src/domain/engines/asr-engine.ts';
import { TranscriptionHost } from '../../src/inference/runtime/transcription/transcription-host.ts';
import type { BareEngineSettings } from './bare-engine.ts';
import { serveCalls } from './rpc-process.ts';

/** Entry point of a process that only runs an ASR engine. */

export type AsrEngineCall =
  | { readonly type: 'load'; readonly engine: string; readonly settings: BareEngineSettings }
  | { readonly type: 'transcribe'; readonly samples: Float32Array };

export interface AsrEngineResult {
  readonly text: string;
  readonly cpuSeconds: number;
}

let engine: AsrEngine | undefined;

serveCalls<AsrEngineCall, AsrEngineResult>(async (call) => {
  if (call.type === 'load') {
    engine = await new TranscriptionHost({ ...call.settings, assetsRoot: '' }).engine(call.engine);
    return { text: '', cpuSeconds: 0 };
  }
  if (engine === undefined) throw new Error('The engine is not loaded.');
  const before = process.cpuUsage();
  const { signal } = new AbortController();
  const { text } = await engine.transcribe(call.samples, { signal, language: 'en' });
  const { user, system } = process.cpuUsage(before);
  return { text, cpuSeconds: (user + system) / 1e6 };
});
