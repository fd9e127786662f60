import type { Utterance } from '../../../src/domain/engines/tts-engine.ts';
import type {
  MeasuredSpeechPart,
  SpeakOptions,
  SpeechWorkers,
} from '../../../src/domain/speech/speech-workers.ts';
import { DispatchClient } from '../../../src/infrastructure/messaging/remote/dispatch-client.ts';
import { DispatchServer } from '../../../src/infrastructure/messaging/remote/dispatch-server.ts';
import { RemoteSpeechWorkers } from '../../../src/infrastructure/messaging/speech/remote-speech-workers.ts';
import { speechRunner } from '../../../src/infrastructure/messaging/speech/speech-runner.ts';
import { connectNats } from '../../../src/infrastructure/messaging/transport/nats-bus.ts';
import { type PrivateNats, startPrivateNats } from '../servers/nats-server.ts';
import { SAMPLES_PER_CHUNK, type ToneSource, toneOf } from '../workers/tone-source.ts';

const VERSION = '1.0.0';
const ENGINE = 'tone';
const WORKERS = 2;
const SLOTS = 256;
const WAIT_MS = 30_000;
const SCALE = 32_768;

let nats: Promise<PrivateNats | undefined> | undefined;

/** Tones that remote workers make: each gateway has a connection to NATS and a dispatcher of its own. */
export interface RemoteTone {
  /** One per gateway. */
  readonly sources: readonly ToneSource[];
  close(): Promise<void>;
}

/** Starts workers and connects gateways to them. Throws when NATS cannot be installed. */
export async function openRemoteTone(gateways: number): Promise<RemoteTone> {
  nats ??= startPrivateNats();
  const url = (await nats)?.url;
  if (url === undefined) throw new Error('nats-server cannot be installed.');
  const onEvent = () => {};
  const open = async (name: string) => connectNats({ url, name });
  const presence = () => ({ processes: 1, engines: [ENGINE] });
  const local = { workers: new ToneWorkers(), prepare: async () => {}, presence };
  // The presence of other servers of this process would be theirs: ids are unique.
  const id = `${process.pid}-${opened++}`;
  const parts: { close(): Promise<void> }[] = [];
  for (let index = 1; index <= WORKERS; index++) {
    const bus = await open(`worker-${index}`);
    const runners = { speech: speechRunner(local, { slots: SLOTS }) };
    const worker = new DispatchServer({
      bus,
      id: `worker-${id}-${index}`,
      version: VERSION,
      onEvent,
      runners,
    });
    parts.push(worker, bus);
  }
  const sources: ToneSource[] = [];
  for (let index = 1; index <= gateways; index++) {
    const bus = await open(`gateway-${index}`);
    const client = new DispatchClient({ bus, version: VERSION, onEvent });
    parts.push(client, bus);
    sources.push(toneThrough(new RemoteSpeechWorkers(client, { waitForWorkerMs: WAIT_MS })));
  }
  return {
    sources,
    async close() {
      // Gateways first: they cancel their tasks.
      for (const part of parts.splice(2 * WORKERS)) await part.close();
      for (const part of parts) await part.close();
    },
  };
}

let opened = 0;

/** A source whose samples come from remote workers, in the same chunks as those of `localTone`. */
function toneThrough(workers: SpeechWorkers): ToneSource {
  return async function* ({ sampleRateHz, sampleCount }, signal) {
    const stream = {};
    const options = { dueAtMs: Date.now(), isFirstAudio: true, accountId: 'acc_test', signal, stream };
    let chunk = new Int16Array(Math.min(SAMPLES_PER_CHUNK, sampleCount));
    let filled = 0;
    let remaining = sampleCount;
    for await (const { samples } of workers.speak(ENGINE, encodeTone(sampleRateHz, sampleCount), options)) {
      for (const sample of samples) {
        chunk[filled++] = Math.round(sample * SCALE);
        if (filled < chunk.length) continue;
        yield chunk;
        remaining -= filled;
        chunk = new Int16Array(Math.min(SAMPLES_PER_CHUNK, remaining));
        filled = 0;
      }
    }
    if (remaining > 0) throw new Error(`The tone is ${remaining} samples short.`);
  };
}

/** The rate is the name of the voice, the number of samples its word. */
function encodeTone(sampleRateHz: number, sampleCount: number): Utterance {
  return {
    words: [{ text: `${sampleCount}`, start: 0, end: 0, before: '', after: '' }],
    language: 'en-US',
    voice: { kind: 'named', name: `${sampleRateHz}` },
    speed: 1,
    seed: 0,
  };
}

/** Workers that render an utterance of `encodeTone`. */
class ToneWorkers implements SpeechWorkers {
  async *speak(
    _engine: string,
    { words: [word], voice }: Utterance,
    { signal }: SpeakOptions,
  ): AsyncGenerator<MeasuredSpeechPart> {
    const [sampleCount, sampleRateHz] = [Number(word?.text), Number(voice.kind === 'named' && voice.name)];
    for (let start = 0; start < sampleCount; start += SAMPLES_PER_CHUNK) {
      signal.throwIfAborted();
      const tone = toneOf(sampleRateHz, start, Math.min(SAMPLES_PER_CHUNK, sampleCount - start));
      yield { samples: Float32Array.from(tone, (sample) => sample / SCALE), sampleRateHz };
    }
  }
}
