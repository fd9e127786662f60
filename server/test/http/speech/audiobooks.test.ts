import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildEpub } from '../../support/documents/epub-writer.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';
import { voicesOf } from '../../support/workers/tone-speech.ts';

interface Job {
  readonly id: string;
  readonly status: string;
  readonly progress: number;
  readonly title: string | null;
  readonly chapters: readonly {
    readonly title: string;
    readonly start: number | null;
    readonly end: number | null;
  }[];
  readonly error: { readonly code: string } | null;
}

let dataFolder: string;
let server: TestServer;
before(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'mynah-books-'));
  server = await startTestServer({ dataFolder, config: { booksPerAccountMax: 3, bookMaxChars: 20_000 } });
});
after(async () => {
  await server.close();
  await rm(dataFolder, { recursive: true });
});

const TEXT = `Chapter 1\n\n${'One sentence of the book. '.repeat(50)}\n\nChapter 2\n\nThe end of the book.`;

async function create(body: object | FormData, headers: Record<string, string> = {}): Promise<Response> {
  const isForm = body instanceof FormData;
  return server.call('/v1/tts/jobs', {
    method: 'POST',
    body: isForm ? body : JSON.stringify(body),
    headers: { ...(!isForm && { 'content-type': 'application/json' }), ...headers },
  });
}

async function submit(body: object | FormData, headers: Record<string, string> = {}): Promise<Job> {
  const response = await create(body, headers);
  assert.equal(response.status, 202, await response.clone().text());
  const job = (await response.json()) as Job;
  assert.equal(response.headers.get('location'), `/v1/tts/jobs/${job.id}`);
  return job;
}

async function look(id: string): Promise<Job> {
  const response = await server.call(`/v1/tts/jobs/${id}`);
  assert.equal(response.status, 200);
  return (await response.json()) as Job;
}

async function becomes(id: string, ...statuses: string[]): Promise<Job> {
  await until(`the job is ${statuses}`, async () => statuses.includes((await look(id)).status), 300_000);
  return look(id);
}

const codeOf = async (response: Response) =>
  ((await response.json()) as { code?: string }).code ?? response.headers.get('x-fish-error-code');
const act = (id: string, action: string) => server.call(`/v1/tts/jobs/${id}/${action}`, { method: 'POST' });

test('a text becomes an MP3 with chapters and captions, and is charged by section', async () => {
  const { id } = await submit({ text: TEXT, title: 'A Book', seed: 1 });
  assert.equal(
    (await server.call(`/v1/tts/jobs/${id}/audio`)).status === 200,
    (await look(id)).status === 'finished',
  );
  const job = await becomes(id, 'finished', 'failed');
  assert.equal(job.status, 'finished', JSON.stringify(job.error));
  assert.equal(job.progress, 1);
  assert.deepEqual(
    job.chapters.map(({ title }) => title),
    ['Chapter 1', 'Chapter 2'],
  );
  assert.equal(job.chapters[0]!.end, job.chapters[1]!.start);
  const audio = await server.call(`/v1/tts/jobs/${id}/audio`);
  assert.equal(audio.headers.get('content-type'), 'audio/mpeg');
  const bytes = Buffer.from(await audio.arrayBuffer());
  assert.equal(bytes.subarray(0, 3).toString(), 'ID3');
  assert.equal(bytes.toString('latin1').split('CHAP').length - 1, 2);
  const captions = await server.call(`/v1/tts/jobs/${id}/captions`);
  assert.match(await captions.text(), /^WEBVTT/);
  const folder = `audiobooks/${id}/`;
  const files = async () =>
    (await server.storedFiles.list()).flatMap((name) =>
      name.startsWith(folder) ? name.slice(folder.length) : [],
    );
  await until('the texts and sections are removed', async () => (await files()).length === 3);
  assert.deepEqual((await files()).sort(), ['audio.mp3', 'captions.srt', 'captions.vtt']);
  const { items } = (await (await server.call('/v1/tts/jobs')).json()) as { items: Job[] };
  assert.ok(items.some((item) => item.id === id && item.chapters[0]!.start === null));
});

test('an EPUB in a form has voices and dictionaries by chapter', async () => {
  const chapters = [1, 2].map((number) => ({
    title: `Chapter ${number}`,
    paragraphs: [`Text ${number} here.`],
  }));
  const form = new FormData();
  form.append(
    'file',
    new Blob([new Uint8Array(buildEpub({ title: 'Home', author: 'Ann', chapters }))]),
    'home.epub',
  );
  const items = [{ key: 'here', value: '/hɪə/' }];
  const choices = [{ number: 2, reference_id: 'am_adam', pronunciation_dictionary: [{ items }] }];
  form.append('options', JSON.stringify({ chapters: choices, reference_id: 'bf_emma' }));
  form.append('speed', '1.5');
  server.speech.requests.length = 0;
  const { id, title } = await submit(form);
  assert.equal(title, 'Home');
  await becomes(id, 'finished');
  const spoken = server.speech.requests.map((request) => [
    voicesOf(request)[0]?.name,
    request.speed,
    request.pronunciations !== undefined,
    request.text,
  ]);
  assert.deepEqual(spoken.sort(), [
    ['am_adam', 1.5, true, 'Chapter 2.\n\nText 2 here.'],
    ['bf_emma', 1.5, false, 'Chapter 1.\n\nText 1 here.'],
  ]);
});

test('a paused job continues where it was, also in another process', async () => {
  server.speech.pauseAfterChunks = 3;
  server.speech.requests.length = 0;
  const { id } = await submit({ text: TEXT, seed: 1 });
  await until('sections are spoken', () => server.speech.requests.length > 0);
  assert.equal((await act(id, 'pause')).status, 200);
  assert.equal((await look(id)).status, 'paused');
  await until('the speech ends', () => server.speech.active === 0);
  const audio = await server.call(`/v1/tts/jobs/${id}/audio`);
  assert.equal(await codeOf(audio), 'job_state');
  assert.equal(audio.status, 409);
  server.speech.pauseAfterChunks = Number.POSITIVE_INFINITY;
  await server.close();
  server = await startTestServer({ dataFolder, config: { booksPerAccountMax: 3, bookMaxChars: 20_000 } });
  assert.equal((await look(id)).status, 'paused');
  assert.equal((await act(id, 'resume')).status, 200);
  assert.equal((await becomes(id, 'finished', 'failed')).status, 'finished');
  assert.equal(await codeOf(await act(id, 'pause')), 'job_state');
  assert.equal(await codeOf(await act(id, 'resume')), 'job_state');
});

test('a job is deleted in any state, with its files', async () => {
  server.speech.pauseAfterChunks = 3;
  const { id } = await submit({ text: TEXT });
  await until('a section is spoken', () => server.speech.active > 0);
  assert.equal((await server.call(`/v1/tts/jobs/${id}`, { method: 'DELETE' })).status, 204);
  server.speech.pauseAfterChunks = Number.POSITIVE_INFINITY;
  assert.equal((await server.call(`/v1/tts/jobs/${id}`)).status, 404);
  assert.ok(!(await server.storedFiles.list()).some((name) => name.includes(id)));
});

test('a repeated submission with an idempotency key is the same job', async () => {
  const headers = { 'idempotency-key': 'book-1' };
  const [first, second] = [
    await submit({ text: 'Once.', seed: 1 }, headers),
    await submit({ text: 'Once.', seed: 1 }, headers),
  ];
  assert.equal(first.id, second.id);
  assert.equal(await codeOf(await create({ text: 'Twice.' }, headers)), 'idempotency_key_reused');
});

test('a job of another account does not exist', async () => {
  const { id } = await submit({ text: 'Mine.' });
  const key = await server.createKeyFor('acc_other');
  for (const [method, path] of [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/pause'],
    ['POST', '/resume'],
    ['GET', '/audio'],
    ['GET', '/captions'],
  ] as const) {
    const headers = { authorization: `Bearer ${key}` };
    const response = await server.call(`/v1/tts/jobs/${id}${path}`, { method, headers });
    assert.equal(response.status, 404, path);
  }
});

const form = (name: string, content: Uint8Array<ArrayBuffer>) => {
  const body = new FormData();
  body.append('file', new Blob([content]), name);
  return body;
};
const LARGE = Array.from({ length: 4000 }, (_, index) => ({
  key: `${index}`.padEnd(100, 'x'),
  value: '/hɪə/',
}));
const REFUSED: readonly (readonly [string, () => object | FormData])[] = [
  ['invalid_request', () => ({})],
  ['invalid_request', () => ({ text: 'x', bitrate: 100 })],
  ['invalid_request', () => ({ text: 'A book.', chapters: [{ number: 2, reference_id: 'af_heart' }] })],
  [
    'invalid_request',
    () => ({ text: 'A book.', chapters: [{ number: 1, pronunciation_dictionary: [{ items: LARGE }] }] }),
  ],
  ['voice_not_found', () => ({ text: 'x', reference_id: 'nobody' })],
  ['voice_not_found', () => ({ text: 'x', chapters: [{ number: 1, reference_id: 'nobody' }] })],
  ['invalid_book', () => ({ text: '…' })],
  ['invalid_book', () => form('x.epub', Buffer.from('PK\u0003\u0004 nothing'))],
  ['text_too_long', () => ({ text: 'word '.repeat(5000) })],
];
for (const [index, [code, body]] of REFUSED.entries()) {
  test(`a book that cannot be spoken is refused with ${code} (${index + 1})`, async () => {
    assert.equal(await codeOf(await create(body())), code);
  });
}

test('an account has a limited number of unfinished books', async () => {
  const isOpen = ({ status }: Job) => !['finished', 'failed'].includes(status);
  const list = async () => ((await (await server.call('/v1/tts/jobs')).json()) as { items: Job[] }).items;
  await until('earlier jobs have ended', async () => !(await list()).some(isOpen));
  server.speech.pauseAfterChunks = 1;
  const jobs: Job[] = [];
  for (let count = 0; count < 3; count++) jobs.push(await submit({ text: TEXT }));
  assert.equal(await codeOf(await create({ text: TEXT })), 'job_limit');
  for (const { id } of jobs) await server.call(`/v1/tts/jobs/${id}`, { method: 'DELETE' });
  server.speech.pauseAfterChunks = Number.POSITIVE_INFINITY;
});
