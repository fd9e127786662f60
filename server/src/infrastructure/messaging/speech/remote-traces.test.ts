import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Utterance } from '../../../domain/engines/tts-engine.ts';
import { installTracer, type SpanOptions, startSpan, type Tracer } from '../../../tracing/tracing.ts';
import { RemoteSpeechWorkers } from './remote-speech-workers.ts';
import { decodeUtterance, encodePart } from './speech-payloads.ts';
import { speechRunner } from './speech-runner.ts';

const TRACEPARENT = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
const UTTERANCE: Utterance = {
  words: [],
  language: 'en-US',
  voice: { kind: 'named', name: 'af_heart' },
  speed: 1,
  seed: 0,
};
const PART = { samples: new Float32Array(8), sampleRateHz: 24_000 };
const options = () => ({
  dueAtMs: Date.now(),
  isFirstAudio: true,
  signal: new AbortController().signal,
  stream: {},
  accountId: 'a',
});

/** The spans that were started, with whether they have ended. */
const spans: { readonly name: string; readonly root: SpanOptions['root']; isEnded: boolean }[] = [];
const tracer: Tracer = {
  start(name, { root }) {
    const span = { name, root, isEnded: false };
    spans.push(span);
    return {
      setAttributes: () => {},
      fail: () => {},
      end: () => {
        span.isEnded = true;
      },
    };
  },
  run: (_span, work) => work(),
  active: () => undefined,
  activeIds: () => ({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }),
  attach: () => {},
};
before(() => installTracer(tracer));
after(() => installTracer(undefined));

test('an utterance carries its trace to a remote worker, which continues it', async () => {
  let payload: Uint8Array | undefined;
  const client = {
    async *run({ job }: { readonly job: Uint8Array }) {
      payload = job;
      for (const part of encodePart(PART)) yield { workerId: 'w', attempt: 1, payload: part };
    },
  };
  // Only `run` is called, and of the context only the signal is read.
  const remote = new RemoteSpeechWorkers(client as never, { waitForWorkerMs: 1 });
  for await (const _ of remote.speak('kokoro-fast', UTTERANCE, options()));
  assert.ok(payload);
  assert.equal(decodeUtterance(payload).traceparent, TRACEPARENT);

  const runner = speechRunner(
    {
      workers: {
        async *speak() {
          startSpan('dispatch').end();
          yield PART;
        },
      },
      prepare: async () => {},
      presence: () => ({ processes: 1, engines: [] }),
    },
    { slots: 1 },
  );
  const events = runner.run(payload, { signal: new AbortController().signal } as never);
  let count = 0;
  for await (const _ of events) count += 1;
  assert.equal(count, 1);
  assert.deepEqual(
    spans.map(({ name, root, isEnded }) => [name, root?.traceparent, isEnded]),
    [
      ['dispatch', undefined, true],
      ['remote job', TRACEPARENT, true],
      ['dispatch', undefined, true],
    ],
  );
});
