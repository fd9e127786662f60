import type { TranscriptionModel } from './transcription-service.ts';

/**
 * The engines of each wire model, in order of preference: the first that knows the language is taken. Measured
 * on 30 utterances of LibriSpeech test-other and on our own voices; see docs/guides/transcription.md.
 */
const ENGINES: Readonly<Record<TranscriptionModel, readonly string[]>> = {
  'transcribe-1': ['moonshine-base'],
  'transcribe-1-pro': ['moonshine-base'],
};

/** The engines that a recording may need. */
export function enginesFor(model: TranscriptionModel): readonly string[] {
  return ENGINES[model];
}
