import assert from 'node:assert/strict';
import type { TestServer } from '../servers/http-server.ts';
import { until } from '../servers/real-server.ts';
import { form, OTHER_RECORDING, PICTURE, RECORDING } from './voice-forms.ts';

/** Texts that occur nowhere else, by what they are. */
export const MARKERS = {
  accountName: 'Quillfeather Ltd',
  member: 'Ottoline Quill',
  changedName: 'Quillfeather Holding',
  keyName: 'quillkey laptop',
  rotatedKeyName: 'quillkey server',
  voiceTitle: 'Quillvoice One',
  voiceDescription: 'spoken in a quilldescription',
  voiceTag: 'quilltag',
  consent: 'quillconsent of Ottoline',
  sampleText: 'quillsample text of the recording',
  referenceName: 'quillreference',
  dictionaryName: 'quilldictionary',
  dictionaryDescription: 'quilldictionary description',
  dictionaryKey: 'quillword',
  speechText: 'The quilltext is spoken once',
  jobText: 'quilljob line',
  openJobText: 'quillopen line',
  syncTranscript: 'quillsync line',
  vocabulary: 'quillvocabulary',
  ownKeyName: 'quillown key',
  browser: 'quillbrowser 7',
  bookTitle: 'Quillbook Title',
  bookAuthor: 'Quillbook Author',
  bookText: 'The quillbook begins here',
  openBookText: 'The quillopenbook begins here',
  caption: 'The quilldub is spoken once',
} as const;
/** Replaced by another name before the deletion, or stored only as audio. */
export const NOT_STORED: ReadonlySet<string> = new Set([
  ...['accountName', 'keyName'],
  ...['speechText', 'caption', 'bookText'],
]);
/** Remains by the documentation: the reason of a transfer. */
export const MEMO = 'quillmemo invoice 7';

/** The id of an account, and the audio that is stored for it. */
export interface CreatedAccount {
  readonly accountId: string;
  /** The stored response of a speech request. */
  readonly speech: Buffer;
  /** The stored response of a dub. */
  readonly dub: Buffer;
  readonly book: Buffer;
}

/** Creates everything that an account can have. A transcription job and an audiobook are running at the end. */
export async function createEverything(server: TestServer): Promise<CreatedAccount> {
  const json = (body: object) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const expectOk = async (response: Response) => {
    assert.ok(response.ok, `${response.url} ${response.status} ${await response.clone().text()}`);
    return (await response.json()) as { id: string; key: string };
  };
  const account = await expectOk(
    await server.call('/v1/admin/accounts', json({ name: MARKERS.accountName, members: [MARKERS.member] })),
  );
  const accountId = account.id;
  const change = { ...json({ name: MARKERS.changedName }), method: 'PATCH' };
  await expectOk(await server.call(`/v1/admin/accounts/${accountId}`, change));
  const credit = { kind: 'top_up', usd: '5', memo: MEMO };
  await expectOk(await server.call(`/v1/admin/accounts/${accountId}/credit`, json(credit)));
  const scopes = ['tts', 'asr', 'voices:read', 'voices:write', 'keys:write'];
  const newKey = { account_id: accountId, name: MARKERS.keyName, scopes };
  const { id: keyId } = await expectOk(await server.call('/v1/admin/keys', json(newKey)));
  const renamed = { ...json({ name: MARKERS.rotatedKeyName }), method: 'PATCH' };
  await expectOk(await server.call(`/v1/admin/keys/${keyId}`, renamed));
  const { key } = await expectOk(await server.call(`/v1/admin/keys/${keyId}/rotate`, json({})));

  const call = (path: string, init: RequestInit = {}) =>
    server.call(path, { ...init, headers: { ...init.headers, authorization: `Bearer ${key}` } });
  await expectOk(await call('/v1/keys', json({ name: MARKERS.ownKeyName })));
  const login = json({ key });
  const fromBrowser = { ...login, headers: { ...login.headers, 'user-agent': MARKERS.browser } };
  await expectOk(await server.call('/v1/console/session', fromBrowser));
  const voice = form({
    title: MARKERS.voiceTitle,
    description: MARKERS.voiceDescription,
    tags: [MARKERS.voiceTag],
    voices: [RECORDING],
    texts: [MARKERS.sampleText],
    cover_image: PICTURE,
    consent: MARKERS.consent,
  });
  const headers = { 'idempotency-key': 'voice' };
  const made = await call('/model', { method: 'POST', body: voice, headers });
  const { _id } = (await expectOk(made)) as unknown as { _id: string };
  const reference = form({ id: MARKERS.referenceName, audio: OTHER_RECORDING, text: MARKERS.sampleText });
  const added = await call('/v1/references/add', { method: 'POST', body: reference });
  assert.ok(added.ok, `${added.status} ${await added.text()}`);
  const dictionary = await expectOk(
    await call(
      '/v1/pronunciation-dictionaries',
      json({ name: MARKERS.dictionaryName, description: MARKERS.dictionaryDescription }),
    ),
  );
  const rules = [{ key: MARKERS.dictionaryKey, value: '/wʌn/', case_sensitive: false }];
  await expectOk(await call(`/v1/pronunciation-dictionaries/${dictionary.id}/versions`, json({ rules })));

  /** The audio of a response that is stored for its idempotency key. */
  const storedAudio = async (path: string, body: object) => {
    const request = json({ ...body, format: 'pcm', reference_id: _id });
    const response = await call(path, {
      ...request,
      headers: { ...request.headers, 'idempotency-key': `once ${path}`.replaceAll(/[^a-z0-9]/g, '-') },
    });
    assert.equal(response.status, 200, await response.clone().text());
    return Buffer.from(await response.arrayBuffer());
  };
  const speech = await storedAudio('/v1/tts', { text: MARKERS.speechText, sample_rate: 44100 });
  const captions = `1\n00:00:00,000 --> 00:00:02,000\n${MARKERS.caption}\n`;
  const dub = await storedAudio('/v1/dub', { captions, sample_rate: 24000 });

  const book = {
    title: MARKERS.bookTitle,
    author: MARKERS.bookAuthor,
    text: `${MARKERS.bookText}. `.repeat(8),
  };
  const { id: bookId } = await expectOk(await call('/v1/tts/jobs', json(book)));
  await until('the book is spoken', async () => {
    const { status } = (await (await call(`/v1/tts/jobs/${bookId}`)).json()) as { status: string };
    return status === 'finished';
  });
  const bookAudio = Buffer.from(await (await call(`/v1/tts/jobs/${bookId}/audio`)).arrayBuffer());

  const recording = (text: string) => {
    const body = new FormData();
    body.append('audio', new Blob([`audio:${text}`]), 'recording.wav');
    body.append('vocabulary', MARKERS.vocabulary);
    return { method: 'POST', body };
  };
  const transcript = recording(MARKERS.syncTranscript);
  await expectOk(await call('/v1/asr', { ...transcript, headers: { 'idempotency-key': 'asr' } }));
  const job = await expectOk(await call('/v1/asr?async=true', recording(MARKERS.jobText)));
  await until('the job ends', async () => {
    const { status } = (await (await call(`/v1/asr/${job.id}`)).json()) as { status: string };
    return status === 'finished';
  });
  server.transcription.msPerLine = 3_600_000;
  await expectOk(await call('/v1/asr?async=true', recording(`${MARKERS.openJobText}\nmore`)));
  await until('the open job runs', async () => server.transcription.active > 0);
  server.speech.pauseAfterChunks = 0;
  await expectOk(await call('/v1/tts/jobs', json({ text: MARKERS.openBookText })));
  await until('the open book is spoken', async () => server.speech.active > 0);
  return { accountId, speech, dub, book: bookAudio };
}
