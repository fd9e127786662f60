import type { SpeechWorkers } from '../../../domain/speech/speech-workers.ts';
import { iterateInSpan, startSpan } from '../../../tracing/tracing.ts';
import type { KindPresence } from '../protocol/messages.ts';
import type { TaskRunner } from '../remote/dispatch-server.ts';
import { decodeUtterance, encodePart, type RemoteUtterance } from './speech-payloads.ts';

/** What serves utterances of remote gateways. */
export interface LocalSpeech {
  readonly workers: SpeechWorkers;
  /** Installs the models of an utterance. */
  prepare(job: RemoteUtterance, signal: AbortSignal): Promise<void>;
  presence(): Pick<KindPresence, 'processes' | 'engines'>;
}

/** Serves the local worker processes of speech to gateways. */
export function speechRunner(local: LocalSpeech, { slots }: { readonly slots: number }): TaskRunner {
  return {
    slots,
    presence: () => local.presence(),
    async *run(bytes, { signal }) {
      const job = decodeUtterance(bytes);
      await local.prepare(job, signal);
      const { engine, utterance, dueInMs, isFirstAudio, owner, traceparent } = job;
      const parts = local.workers.speak(engine, utterance, {
        dueAtMs: Date.now() + dueInMs,
        isFirstAudio,
        signal,
        // A stream stays with its worker: within it the least busy process serves the next utterance.
        stream: {},
        accountId: owner,
      });
      const span =
        traceparent === undefined
          ? undefined
          : startSpan('remote job', { root: { traceparent, traceId: undefined } });
      for await (const part of span ? iterateInSpan(span, parts) : parts) yield* encodePart(part, job);
    },
  };
}
