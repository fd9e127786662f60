import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClaimedRefinement } from '../refinement-queue.ts';
import type { StoredVoice, VoiceChanges } from '../stored-voice.ts';
import type { ClipTranscriber, ClonedVoice, RefinementStart } from '../voice-cloner.ts';
import type { VoiceStore } from '../voice-store.ts';
import { VoiceRefinements } from './voice-refinements.ts';

const FIRST = { engine: 'kokoro-fast', vector: Float32Array.of(1), measures: { similarity_x_vector: 0.6 } };
const REFINED = { ...FIRST, vector: Float32Array.of(2), measures: { similarity_x_vector: 0.8 } };

type TestVoice = Pick<StoredVoice, 'id' | 'accountId' | 'refinement' | 'samples' | 'state'> & {
  clone: Pick<ClonedVoice, 'engine' | 'vector' | 'measures'>;
};

/** A queue in memory. A claimed voice is claimable again when `expire` is called. */
class MemoryQueue {
  readonly voices: Map<string, TestVoice>;
  readonly claims: string[] = [];
  readonly attempts = new Map<string, number>();
  readonly #leased = new Set<string>();

  constructor(ids: readonly string[], accountOf: (id: string) => string = () => 'acc') {
    const state = 'training' as const;
    const samples = [{ title: '', text: '', file: 'f' }];
    this.voices = new Map(
      ids.map((id) => [
        id,
        { id, accountId: accountOf(id), refinement: 'pending', samples, state, clone: FIRST },
      ]),
    );
  }

  expire(): void {
    this.#leased.clear();
  }

  asStore(): VoiceStore {
    const store: Partial<VoiceStore> = {
      find: async (id) => this.voices.get(id) as StoredVoice | undefined,
      claimRefinement: async () => this.#claim(),
      renewRefinement: async (id) => this.voices.has(id),
      releaseRefinement: async (id) => {
        this.#leased.delete(id);
        this.attempts.set(id, this.attempts.get(id)! - 1);
      },
      change: async (id, changes) => this.#change(id, changes),
    };
    // Only these methods are called.
    return store as VoiceStore;
  }

  #claim(): ClaimedRefinement | undefined {
    for (const [id, voice] of this.voices) {
      if (voice.refinement !== 'pending' || this.#leased.has(id)) continue;
      this.#leased.add(id);
      this.claims.push(id);
      const attempt = (this.attempts.get(id) ?? 0) + 1;
      this.attempts.set(id, attempt);
      return { voice: voice as unknown as StoredVoice, attempt };
    }
    return undefined;
  }

  #change(id: string, changes: VoiceChanges): boolean {
    const voice = this.voices.get(id);
    if (voice === undefined) return false;
    this.voices.set(id, { ...voice, ...(changes as Partial<TestVoice>) });
    return true;
  }
}

type Refine = (signal: AbortSignal, start: RefinementStart) => AsyncIterable<typeof REFINED>;

const RATE_HZ = 16_000;

function refinementsOf(
  queue: MemoryQueue,
  refine: Refine,
  { engine = 'kokoro-fast', transcriber }: { engine?: string; transcriber?: ClipTranscriber } = {},
) {
  const problems: unknown[] = [];
  const refinements = new VoiceRefinements({
    store: queue.asStore(),
    files: { locate: async () => 'path' } as never,
    reader: {
      read: async () => [
        { isPassed: true, speechSamples: new Float32Array(4 * RATE_HZ), durationSeconds: 5 },
      ],
    } as never,
    transcriber,
    cloner: {
      engine,
      sampleRateHz: RATE_HZ,
      refine: (_clips: unknown, start: RefinementStart, signal: AbortSignal) => refine(signal, start),
    } as never,
    settings: {
      voiceTrainingMaxSeconds: 600,
      voiceClipMaxSeconds: 60,
      voiceSpeechMinSeconds: 1,
      ffmpegPath: 'ffmpeg',
    },
    onProblem: (_, error) => problems.push(error),
  });
  return { refinements, problems };
}

async function until(isTrue: () => boolean): Promise<void> {
  for (const endMs = Date.now() + 60_000; !isTrue(); await new Promise(setImmediate))
    assert.ok(Date.now() < endMs, 'Not in time.');
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

test('pending voices are refined one at a time, and keep their first similarity', async () => {
  const queue = new MemoryQueue(['a', 'b', 'c']);
  let running = 0;
  let most = 0;
  const { refinements } = refinementsOf(queue, async function* () {
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    yield REFINED;
    running--;
  });
  refinements.start();
  await until(() => [...queue.voices.values()].every(({ refinement }) => refinement === 'done'));
  assert.equal(most, 1);
  const voice = queue.voices.get('b')!;
  assert.equal(voice.state, 'trained');
  assert.deepEqual(voice.clone.vector, REFINED.vector);
  assert.deepEqual(voice.clone.measures, { similarity_x_vector: 0.8, first_similarity_x_vector: 0.6 });
  await refinements.close();
});

test('a stop of the server leaves a refinement pending without counting the attempt; a start continues it', async () => {
  const queue = new MemoryQueue(['a']);
  const first = refinementsOf(queue, async function* (signal) {
    yield await aborted(signal);
  });
  first.refinements.start();
  await until(() => first.refinements.isRunning('a'));
  await first.refinements.close();
  assert.deepEqual([queue.voices.get('a')?.refinement, queue.attempts.get('a')], ['pending', 0]);
  assert.deepEqual(first.problems, []);

  const second = refinementsOf(queue, async function* () {
    yield REFINED;
  });
  second.refinements.start();
  await until(() => queue.voices.get('a')?.refinement === 'done');
  await second.refinements.close();
});

test('deletion aborts a refinement, and the next one runs', async () => {
  const queue = new MemoryQueue(['a', 'b']);
  const { refinements, problems } = refinementsOf(queue, async function* (signal) {
    if (queue.claims.at(-1) === 'a') await aborted(signal);
    yield REFINED;
  });
  refinements.start();
  await until(() => refinements.isRunning('a'));
  queue.voices.delete('a');
  await refinements.stop('a');
  await until(() => queue.voices.get('b')?.refinement === 'done');
  assert.deepEqual(problems, []);
  await refinements.close();
});

test('a refinement that fails is repeated when its lease has expired, three times at most', async () => {
  const queue = new MemoryQueue(['a']);
  const { refinements, problems } = refinementsOf(queue, async function* () {
    yield* [];
    throw new Error('no');
  });
  refinements.start();
  for (const count of [1, 2, 3]) {
    await until(() => problems.length === count && !refinements.isRunning('a'));
    queue.expire();
    refinements.wake();
  }
  await until(() => queue.voices.get('a')?.refinement === 'failed');
  assert.equal(queue.voices.get('a')?.state, 'trained');
  assert.equal(queue.claims.length, 3);
  assert.deepEqual(queue.voices.get('a')?.clone, FIRST);
  await refinements.close();
});

test('a voice of another engine is not refined', async () => {
  const queue = new MemoryQueue(['a']);
  const { refinements } = refinementsOf(
    queue,
    async function* () {
      yield REFINED;
    },
    { engine: 'vits' },
  );
  refinements.start();
  await until(() => queue.voices.get('a')?.refinement === 'none');
  assert.deepEqual(queue.voices.get('a')?.clone, FIRST);
  await refinements.close();
});

test('a refinement gets a transcript of the recording, and runs without one if transcription fails', async () => {
  const text = 'My sister moved to the coast three years ago.';
  const succeeds: ClipTranscriber = { transcribe: async () => ({ text, language: 'en' }) };
  const fails: ClipTranscriber = { transcribe: () => Promise.reject(new Error('no')) };
  for (const [transcriber, expected] of [
    [succeeds, text],
    [fails, undefined],
    [undefined, undefined],
  ] as const) {
    const queue = new MemoryQueue(['a']);
    let start: RefinementStart | undefined;
    const refine: Refine = async function* (_, given) {
      start = given;
      yield REFINED;
    };
    const { refinements, problems } = refinementsOf(queue, refine, transcriber && { transcriber });
    refinements.start();
    await until(() => queue.voices.get('a')?.refinement === 'done');
    assert.equal(start?.excerpt?.text, expected);
    assert.equal(problems.length, transcriber === fails ? 1 : 0);
    await refinements.close();
  }
});
