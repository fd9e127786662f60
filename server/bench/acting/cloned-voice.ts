import { createReadStream } from 'node:fs';
import type { CloningEngine } from '../../src/domain/engines/cloning-engine.ts';
import { cloneWithSearch } from '../../src/domain/voices/cloning/clone-with-search.ts';
import { readClip } from '../../src/domain/voices/intake/read-clip.ts';
import type { ClonedVoice } from '../../src/domain/voices/voice-cloner.ts';
import { CloningHost } from '../../src/inference/runtime/cloning/cloning-host.ts';
import type { WorkerSettings } from '../../src/inference/runtime/process/messages.ts';

const ENGINE: CloningEngine = 'kokoro-fast';

/** The refined clone of a recording, as the server makes it. */
export async function cloneRecording(path: string, settings: WorkerSettings): Promise<ClonedVoice> {
  const { signal } = new AbortController();
  const context = new CloningHost(settings).contextFor({ isUrgent: true, signal, engine: ENGINE });
  const { sampleRateHz } = await context.encoder();
  const clip = await readClip(createReadStream(path), { signal, sampleRateHz, speechMinSeconds: 0.5 });
  const clips = [clip.speechSamples];
  let voice: ClonedVoice | undefined;
  for await (const first of cloneWithSearch(context, { clips }, signal)) voice = first;
  for await (const refined of cloneWithSearch(context, { clips, from: voice?.vector }, signal))
    voice = refined;
  if (voice === undefined) throw new Error(`No voice was cloned from ${path}.`);
  return voice;
}
