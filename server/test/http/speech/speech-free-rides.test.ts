import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { NANO_PER_USD } from '../../../src/domain/accounts/ledger/money.ts';
import type { SpeechService } from '../../../src/domain/speech/speech-service.ts';
import { type PaidServer, withPaidAccount } from '../../support/billing/paid-account.ts';
import { SPEECH_ROUTES, type SpeechRoute } from '../../support/calls/speech-routes.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';
import { TONE_PIECE_CHARS, ToneSpeech } from '../../support/workers/tone-speech.ts';

/** Price of one byte of text. */
const BYTE_NANO = 15_000;

const never = () => new AbortController().signal;

const tone = new ToneSpeech();
/** What the shared server speaks with. */
let speech: SpeechService = tone;
let shared: TestServer;
before(async () => {
  shared = await startTestServer({
    config: { billing: 'prepaid' },
    speech: {
      speak: (...call) => speech.speak(...call),
      speakTimed: (...call) => speech.speakTimed(...call),
      speakLive: (...call) => speech.speakLive(...call),
    },
  });
});
after(() => shared.close());

/** Runs a test with a new account of the shared server. */
async function withPaidServer(
  work: (server: PaidServer) => Promise<void>,
  options: { readonly speech?: SpeechService; readonly creditNano?: number } = {},
): Promise<void> {
  speech = options.speech ?? tone;
  await withPaidAccount(shared, options.creditNano ?? NANO_PER_USD, work);
}

/** Speech that pauses after a number of chunks until the request is aborted. */
class PausingSpeech implements SpeechService {
  readonly #tone = new ToneSpeech();
  readonly #chunksMax: number;
  #onPause: () => void = () => {};

  constructor(chunksMax: number) {
    this.#chunksMax = chunksMax;
  }

  /** Resolves when the next request pauses. The chunks before the pause were sent. */
  paused(): Promise<void> {
    return new Promise((resolve) => {
      this.#onPause = resolve;
    });
  }

  async speak(...[request, signal]: Parameters<SpeechService['speak']>) {
    const speech = await this.#tone.speak(request, signal);
    return { ...speech, body: this.#pause(speech.body, signal) };
  }

  async speakTimed(...[request, signal]: Parameters<SpeechService['speakTimed']>) {
    const speech = await this.#tone.speakTimed(request, signal);
    return { ...speech, body: this.#pause(speech.body, signal) };
  }

  speakLive(...[request, signal]: Parameters<SpeechService['speakLive']>) {
    const speech = this.#tone.speakLive(request, signal);
    return { ...speech, body: this.#pause(speech.body, signal) };
  }

  async *#pause<Chunk>(body: AsyncIterable<Chunk>, signal: AbortSignal): AsyncGenerator<Chunk> {
    let chunks = 0;
    for await (const chunk of body) {
      yield chunk;
      chunks += 1;
      if (chunks === this.#chunksMax) break;
    }
    this.#onPause();
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve());
    });
    signal.throwIfAborted();
  }
}

const LONG = 'Leaving before the end of a piece is not free.';

for (const route of SPEECH_ROUTES) {
  test(`${route.name}: a client that leaves after the first bytes pays the first piece`, () => {
    const speech = new PausingSpeech(1);
    return withPaidServer(
      async (server) => {
        const leave = new AbortController();
        const paused = speech.paused();
        const call = route.speak(server, { text: LONG, signal: leave.signal });
        const failed = assert.rejects(call);
        await paused;
        leave.abort();
        await failed;
        await until('it is settled', async () => (await server.spentNano()) > 0);
        assert.equal(await server.spentNano(), TONE_PIECE_CHARS * BYTE_NANO);
      },
      { speech },
    );
  });

  test(`${route.name}: a client that leaves after the last byte, but before the end, pays the whole text`, () => {
    const speech = new PausingSpeech(Number.POSITIVE_INFINITY);
    return withPaidServer(
      async (server) => {
        const leave = new AbortController();
        const paused = speech.paused();
        const failed = assert.rejects(route.speak(server, { text: LONG, signal: leave.signal }));
        await paused;
        leave.abort();
        await failed;
        await until('it is settled', async () => (await server.spentNano()) > 0);
        assert.equal(await server.spentNano(), LONG.length * BYTE_NANO);
      },
      { speech },
    );
  });
}

const PHONEMES_MAX = 120;
/** One letter that is spoken as 120 phonemes. */
const ENTRIES = [{ key: 'q', value: 'AA1 '.repeat(PHONEMES_MAX).trim() }];

for (const route of SPEECH_ROUTES) {
  test(`${route.name}: a dictionary entry that is longer than its text is charged by its phonemes`, () =>
    withPaidServer(async (server) => {
      await route.speak(server, { text: 'q and q.', entries: ENTRIES, signal: never() });
      const nano = ('q and q.'.length + 2 * (PHONEMES_MAX - 1)) * BYTE_NANO;
      await until('it is settled', async () => (await server.spentNano()) > 0);
      assert.equal(await server.spentNano(), nano);
    }));

  test(`${route.name}: a dictionary entry above the credit is not spoken`, () =>
    withPaidServer(
      async (server) => {
        const text = 'q';
        await assert.rejects(route.speak(server, { text, entries: ENTRIES, signal: never() }));
        assert.equal(await server.spentNano(), 0);
        await route.speak(server, { text, signal: never() });
      },
      { creditNano: PHONEMES_MAX * BYTE_NANO - 1 },
    ));
}

test('a dictionary entry that is not longer than its text costs the bytes of the text', () =>
  withPaidServer(async (server) => {
    const entries = [{ key: 'tomato', value: '/təˈmeɪtoʊ/' }];
    const [route] = SPEECH_ROUTES;
    await route!.speak(server, { text: 'tomato', entries, signal: never() });
    await until('it is settled', async () => (await server.spentNano()) > 0);
    assert.equal(await server.spentNano(), 'tomato'.length * BYTE_NANO);
  }));

for (const route of SPEECH_ROUTES.filter(({ isLive }) => !isLive)) {
  test(`${route.name}: an interrupted request is repeated at the price of the rest twice, then in full`, () => {
    const speech = new PausingSpeech(Number.POSITIVE_INFINITY);
    return withPaidServer(
      async (server) => {
        const { ledger } = server.accounts.accounting;
        const charges: number[] = [];
        for (let attempt = 1; attempt <= 5; attempt += 1) {
          const before = await server.spentNano();
          await interrupt(route, server, speech);
          await until('the attempt has ended', async () => (await ledger.verify()).openHolds === 0);
          charges.push((await server.spentNano()) - before);
        }
        const full = LONG.length * BYTE_NANO;
        assert.deepEqual(charges, [full, 0, 0, full, full]);
      },
      { speech },
    );
  });
}

/** Sends a request with an idempotency key and leaves before its end. */
async function interrupt(route: SpeechRoute, server: PaidServer, speech: PausingSpeech): Promise<void> {
  for (;;) {
    const leave = new AbortController();
    const paused = speech.paused().then(() => 'paused' as const);
    const headers = { 'idempotency-key': 'once' };
    const call = route.speak(server, { text: LONG, headers, signal: leave.signal }).then(
      () => new Error('The response is complete.'),
      (error: Error) => error,
    );
    const outcome = await Promise.race([paused, call]);
    leave.abort();
    await call;
    if (outcome === 'paused') return;
    // The previous attempt has not ended yet.
    assert.match(outcome.message, /^409/);
  }
}

test('a price of the operator for all models applies to s2.1-pro-free', async (t) => {
  const priced = await startTestServer({ config: { billing: 'prepaid', prices: { tts: { '*': 20 } } } });
  t.after(() => priced.close());
  await withPaidAccount(priced, NANO_PER_USD, async (server) => {
    for (const [index, route] of [SPEECH_ROUTES[0]!, SPEECH_ROUTES[1]!].entries()) {
      const headers = { model: 's2.1-pro-free' };
      await route.speak(server, { text: 'ten bytes!', headers, signal: never() });
      const nano = (index + 1) * 10 * 20_000;
      await until('it is settled', async () => (await server.spentNano()) === nano);
    }
  });
});
