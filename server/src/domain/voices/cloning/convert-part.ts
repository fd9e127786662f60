import type { MixPart } from '../voice-cloner.ts';
import { cloneWithSearch } from './clone-with-search.ts';
import type { CloningContext, SearchContext } from './cloning-job.ts';
import { vectorOf } from './mix-voice.ts';
import { speakTrial } from './spoken-trial.ts';
import { TRIAL_SENTENCES } from './trial-sentences.ts';

/** A part of a mixed voice as a voice of Kokoro: a voice of the VITS is cloned from its own speech. */
export async function convertPart(
  part: MixPart,
  contexts: { readonly speakers: CloningContext; readonly clones: SearchContext },
  signal: AbortSignal,
): Promise<MixPart> {
  if (part.engine === 'kokoro-fast') return part;
  const vector = vectorOf(part.voice, await contexts.speakers.speakers());
  const { speech } = await speakTrial(contexts.speakers, { vector, sentences: TRIAL_SENTENCES }, signal);
  for await (const voice of cloneWithSearch(contexts.clones, { clips: [speech] }, signal)) {
    return { engine: 'kokoro-fast', voice: voice.vector, weight: part.weight };
  }
  throw new Error('The search returned no voice.');
}
