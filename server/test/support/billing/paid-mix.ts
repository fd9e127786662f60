import { randomInt, randomUUID } from 'node:crypto';
import { SPEECH_ROUTES } from '../calls/speech-routes.ts';
import {
  LIVE_TRANSCRIPTION_ROUTES,
  multipart,
  postRecording,
  TRANSCRIPTION_ROUTES,
} from '../calls/transcription-routes.ts';
import { RECORDING } from '../calls/voice-forms.ts';
import type { Target } from './paid-sockets.ts';

export interface PaidMixOptions {
  readonly target: Target;
  /** The account that is topped up. */
  readonly accountId: string;
  /** Ends the requests. */
  readonly signal: AbortSignal;
  /** An idempotency key that many requests share. */
  readonly idempotencyKey: string;
}

const ENTRIES = [{ key: 'q', value: 'AA1 B IY1 K AA1' }];
/** Words of a recording, 0.5 s each. */
const LINE = 'one two three four five six';

/** A book of two sections. */
export const BOOK_CHAPTERS = [
  { title: 'One', paragraphs: ['It begins.'] },
  { title: 'Two', paragraphs: ['It ends.'] },
];
const BOOK = BOOK_CHAPTERS.map(({ title, paragraphs }) => `# ${title}\n\n${paragraphs.join('')}`).join(
  '\n\n',
);
const CAPTIONS = '1\n00:00:00,100 --> 00:00:00,500\nHello.\n\n2\n00:00:00,600 --> 00:00:01,000\nGoodbye.\n';

/** The names of the paid operations. */
export const PAID_OPERATIONS: readonly string[] = [
  ...[...SPEECH_ROUTES, ...TRANSCRIPTION_ROUTES, ...LIVE_TRANSCRIPTION_ROUTES].map(({ name }) => name),
  'transcription job',
  'audiobook',
  'dub',
  'voice design',
  'voice cloning',
];

/**
 * Sends one random request of the paid operations: of all routes, complete or abandoned, repeated or not. Returns the
 * name of the operation. Rejects when the request fails.
 */
export async function sendPaidRequest(options: PaidMixOptions): Promise<string> {
  return pick(OPERATIONS)(options);
}

/** The signal of the run, or in one of three calls a short timeout: the client leaves. */
function leaving(signal: AbortSignal): AbortSignal {
  return randomInt(3) === 0 ? AbortSignal.any([signal, AbortSignal.timeout(randomInt(1, 60))]) : signal;
}

async function speak({ target, signal, idempotencyKey }: PaidMixOptions): Promise<string> {
  const route = pick(SPEECH_ROUTES);
  const isRepeated = route.isLive === undefined && randomInt(4) === 0;
  const isFree = randomInt(8) === 0;
  const headers = {
    ...(isRepeated && { 'idempotency-key': `${idempotencyKey} ${route.name}`.replace(/[^\x21-\x7e]/g, '_') }),
    ...(isFree && { model: 's2.1-pro-free' }),
  };
  await route.speak(target, {
    text: isRepeated ? 'Say it only once.' : 'q '.repeat(randomInt(1, 40)),
    ...(!isRepeated && randomInt(2) === 0 && { entries: ENTRIES }),
    headers,
    signal: leaving(signal),
  });
  return route.name;
}

function recording(): string {
  return `audio:${Array.from({ length: randomInt(1, 8) }, () => LINE).join('\n')}`;
}

async function transcribe({ target, signal, idempotencyKey }: PaidMixOptions): Promise<string> {
  const route = pick(TRANSCRIPTION_ROUTES);
  const isRepeated = randomInt(4) === 0;
  await route.transcribe(target, {
    recording: isRepeated ? `audio:${LINE}` : recording(),
    ...(isRepeated && {
      headers: { 'idempotency-key': `${idempotencyKey} ${route.name}`.replace(/[^\x21-\x7e]/g, '_') },
    }),
    ...(route.isFish && !isRepeated && randomInt(2) === 0 && { fields: { channels: 'split' } }),
    signal: leaving(signal),
  });
  return route.name;
}

async function transcribeLive({ target, signal }: PaidMixOptions): Promise<string> {
  const route = pick(LIVE_TRANSCRIPTION_ROUTES);
  const call = { seconds: randomInt(1, 5), signal: leaving(signal) };
  await route.transcribe(
    target,
    route.hasPartials && randomInt(2) === 0 ? { ...call, leavesAtText: true } : call,
  );
  return route.name;
}

/** Submits a job, and in one of three calls cancels it. */
async function runJob({ target, signal }: PaidMixOptions): Promise<string> {
  const call = { recording: recording(), signal };
  const { id } = JSON.parse(
    await postRecording(target, '/v1/asr?async=true', multipart(call, 'audio'), call),
  ) as { id: string };
  if (randomInt(3) === 0) await request({ target, signal }, `/v1/asr/${id}`, { method: 'DELETE' });
  return 'transcription job';
}

/** Submits a book, and in one of three calls cancels it. */
async function readBook({ target, signal }: PaidMixOptions): Promise<string> {
  const book = { text: BOOK, input_format: 'markdown' };
  const response = await request({ target, signal }, '/v1/tts/jobs', post(book));
  const { id } = JSON.parse(response) as { id: string };
  if (randomInt(3) === 0) await request({ target, signal }, `/v1/tts/jobs/${id}`, { method: 'DELETE' });
  return 'audiobook';
}

async function dub({ target, signal }: PaidMixOptions): Promise<string> {
  const body = { captions: CAPTIONS, format: 'pcm', sample_rate: 8000 };
  await request({ target, signal: leaving(signal) }, '/v1/dub', post(body));
  return 'dub';
}

async function designVoice({ target, signal }: PaidMixOptions): Promise<string> {
  const text = randomInt(2) === 0 ? { reference_text: 'This is how I sound.' } : {};
  const design = { instruction: 'A calm woman', n: 1, ...text };
  await request({ target, signal: leaving(signal) }, '/v1/voice-design', post(design));
  return 'voice design';
}

/** Creates a voice, whose transcript is charged. */
async function cloneVoice({ target, signal }: PaidMixOptions): Promise<string> {
  // Decoding is expensive, and the transcript is one charge per voice.
  if (randomInt(4) !== 0) return 'none';
  const body = new FormData();
  body.set('title', 'Ada');
  body.set('voices', new Blob([RECORDING]));
  await request({ target, signal }, '/model', { method: 'POST', body });
  return 'voice cloning';
}

async function topUp({ target, signal, accountId }: PaidMixOptions): Promise<string> {
  const credit = { kind: 'top_up', usd: '0.01', id: randomUUID() };
  await request({ target, signal }, `/v1/admin/accounts/${accountId}/credit`, post(credit));
  return 'top-up';
}

/** How often each is chosen. */
const OPERATIONS = [
  ...[speak, speak, transcribe, transcribe, transcribeLive],
  ...[runJob, readBook, dub, designVoice, cloneVoice, topUp],
];

function post(body: object): RequestInit {
  const headers = { 'content-type': 'application/json' };
  return { method: 'POST', headers, body: JSON.stringify(body) };
}

async function request(
  { target: { url, key }, signal }: Pick<PaidMixOptions, 'target' | 'signal'>,
  path: string,
  init: RequestInit,
): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, ...init.headers };
  const response = await fetch(url + path, { ...init, headers, signal });
  const body = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${response.headers.get('x-fish-error-code')}`);
  return body;
}

function pick<Item>(items: readonly Item[]): Item {
  return items[randomInt(items.length)]!;
}
