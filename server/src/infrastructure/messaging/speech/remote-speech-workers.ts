import { createHash } from 'node:crypto';
import type { EngineVoice, Utterance } from '../../../domain/engines/tts-engine.ts';
import type {
  MeasuredSpeechPart,
  SpeakOptions,
  SpeechWorkers,
} from '../../../domain/speech/speech-workers.ts';
import { activeTraceparent, iterateInSpan, runInSpan, startSpan } from '../../../tracing/tracing.ts';
import type { DispatchClient } from '../remote/dispatch-client.ts';
import { pseudonymOf } from '../remote/pseudonym.ts';
import { toDomainError } from '../remote/remote-errors.ts';
import { AttemptJoiner } from './attempt-joiner.ts';
import { decodePart, encodeUtterance } from './speech-payloads.ts';

/** Time for one utterance of at most 150 characters, including the first load of its engine. */
const DEADLINE_MS = 300_000;

/** Speech on remote workers. An utterance whose worker is lost continues on another one. */
export class RemoteSpeechWorkers implements SpeechWorkers {
  readonly #client: Pick<DispatchClient, 'run'>;
  readonly #waitMs: number;
  readonly #lastWorkers = new WeakMap<object, string>();

  constructor(client: Pick<DispatchClient, 'run'>, options: { readonly waitForWorkerMs: number }) {
    this.#client = client;
    this.#waitMs = options.waitForWorkerMs;
  }

  async *speak(
    engine: string,
    utterance: Utterance,
    options: SpeakOptions,
  ): AsyncGenerator<MeasuredSpeechPart> {
    const span = startSpan('dispatch', {
      attributes: { 'mynah.engine': engine, 'mynah.worker.kind': 'remote' },
    });
    const traceparent = runInSpan(span, activeTraceparent);
    yield* iterateInSpan(span, this.#speak(engine, utterance, { ...options, traceparent }));
  }

  async *#speak(
    engine: string,
    utterance: Utterance,
    options: SpeakOptions & { readonly traceparent: string | undefined },
  ): AsyncGenerator<MeasuredSpeechPart> {
    const { dueAtMs, isFirstAudio, accountId, signal, stream, onFinished, traceparent } = options;
    const joiner = new AttemptJoiner();
    const job = encodeUtterance({
      engine,
      utterance,
      dueInMs: dueAtMs - Date.now(),
      isFirstAudio,
      owner: pseudonymOf(accountId),
      acceptsPacked: true,
      ...(traceparent !== undefined && { traceparent }),
    });
    let attempt: number | undefined;
    try {
      const events = this.#client.run({
        kind: 'speech',
        key: `${engine} ${voiceKey(utterance.voice)}`,
        lastWorkerId: this.#lastWorkers.get(stream),
        job,
        isHedged: true,
        deadlineMs: DEADLINE_MS,
        waitMs: this.#waitMs,
        signal,
        onFinished,
      });
      for await (const event of events) {
        this.#lastWorkers.set(stream, event.workerId);
        if (attempt !== undefined && attempt !== event.attempt) joiner.restart();
        attempt = event.attempt;
        const part = joiner.add(decodePart(event.payload));
        if (part !== undefined) yield part;
      }
    } catch (error) {
      throw toDomainError(error, 'speech');
    }
    const last = joiner.end();
    if (last !== undefined) yield last;
  }
}

/** Equal for equal voices. */
function voiceKey(voice: EngineVoice): string {
  if (voice.kind === 'named') return voice.name;
  const samples = voice.kind === 'vector' ? voice.values : voice.samples;
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  return createHash('sha1').update(bytes).digest('hex');
}
