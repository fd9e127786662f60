import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';

const BASE = '/compat/elevenlabs/v1/pronunciation-dictionaries';
const NGINX = {
  type: 'phoneme',
  string_to_replace: 'nginx',
  phoneme: 'EH1 N JH AH0 N EH1 K S',
  alphabet: 'cmu-arpabet',
};
const TOMATO = { type: 'phoneme', string_to_replace: 'tomato', phoneme: 'təˈmɑːtəʊ', alphabet: 'ipa' };
const DEFAULT_FLAGS = { case_sensitive: true, word_boundaries: true };

let server: TestServer;
let otherKey: string;
before(async () => {
  server = await startTestServer();
  otherKey = await server.createKeyFor('acc_other');
});
after(() => server.close());

// biome-ignore lint/suspicious/noExplicitAny: the tests read fields of many types.
type Answer = { readonly status: number; readonly code: string | null; readonly body: any };

async function ask(method: string, path: string, body?: unknown, key = server.key): Promise<Answer> {
  const response = await fetch(server.url + BASE + path, {
    method,
    headers: {
      'xi-api-key': key,
      ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
  });
  const code = response.headers.get('x-fish-error-code');
  return { status: response.status, code, body: await response.json() };
}

const add = (rules: unknown[], name = 'Terms') => ask('POST', '/add-from-rules', { name, rules });

test('rules are added, replaced, removed and read; each change is a version of a native dictionary', async () => {
  const created = await add([NGINX]);
  assert.equal(created.status, 200, JSON.stringify(created.body));
  assert.deepEqual([created.body.name, created.body.version_rules_num], ['Terms', 1]);
  const { id } = created.body;

  const added = await ask('POST', `/${id}/add-rules`, {
    rules: [{ ...NGINX, phoneme: 'EH1 N', case_sensitive: false, word_boundaries: false }, TOMATO],
  });
  assert.deepEqual([added.body.id, added.body.version_rules_num], [id, 2]);
  const read = await ask('GET', `/${id}`);
  assert.deepEqual(read.body.rules, [
    { ...NGINX, phoneme: 'EH1 N', case_sensitive: false, word_boundaries: false },
    { ...TOMATO, ...DEFAULT_FLAGS },
  ]);
  assert.equal(read.body.latest_version_id, added.body.version_id);

  const removed = await ask('POST', `/${id}/remove-rules`, { rule_strings: ['nginx', 'unknown'] });
  assert.equal(removed.body.version_rules_num, 1);
  await ask('POST', `/${id}/set-rules`, { rules: [NGINX, TOMATO] });
  const native = await server.call(`/v1/pronunciation-dictionaries/${id}/versions`);
  assert.equal(((await native.json()) as { total: number }).total, 4);
  const list = await ask('GET', '?page_size=1');
  const [first] = list.body.pronunciation_dictionaries;
  assert.deepEqual([first.id, first.latest_version_rules_num, list.body.has_more], [id, 2, false]);
});

test('a lexicon is uploaded and downloaded', async () => {
  const form = new FormData();
  form.append('name', 'Lexicon');
  const lexeme = '<lexeme><grapheme>nginx</grapheme><phoneme>EH1 N</phoneme></lexeme>';
  form.append('file', new Blob([`<lexicon alphabet="cmu-arpabet">${lexeme}</lexicon>`]), 'terms.pls');
  const created = await ask('POST', '/add-from-file', form);
  assert.deepEqual([created.status, created.body.version_rules_num], [200, 1], JSON.stringify(created.body));
  const response = await server.call(`${BASE}/${created.body.id}/${created.body.version_id}/download`);
  assert.match(response.headers.get('content-type') ?? '', /^application\/pls\+xml/);
  assert.match(await response.text(), /<grapheme>nginx<\/grapheme>/);

  const wrong = new FormData();
  wrong.append('name', 'Lexicon');
  wrong.append('file', new Blob(['no XML']), 'terms.pls');
  const refused = await ask('POST', '/add-from-file', wrong);
  assert.equal(refused.code, 'invalid_parameter');
});

test('a speech request uses a dictionary', async () => {
  const { body } = await add([NGINX]);
  const response = await server.call('/compat/elevenlabs/v1/text-to-speech/default', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      text: 'nginx',
      pronunciation_dictionary_locators: [
        { pronunciation_dictionary_id: body.id, version_id: body.version_id },
      ],
    }),
  });
  assert.equal(response.status, 200);
  await response.arrayBuffer();
  const { pronunciations } = server.speech.requests.at(-1)!;
  assert.equal(pronunciations?.longestAt('nginx', 0, 5)?.value, NGINX.phoneme);
  assert.equal(pronunciations?.longestAt('nginxes', 0, 7), undefined);
});

test('a dictionary is renamed and archived', async () => {
  const { body } = await add([]);
  const renamed = await ask('PATCH', `/${body.id}`, { name: 'Names' });
  assert.deepEqual([renamed.body.name, renamed.body.archived_time_unix], ['Names', null]);
  const archived = await ask('PATCH', `/${body.id}`, { archived: true });
  assert.equal(typeof archived.body.archived_time_unix, 'number');
  assert.equal((await ask('GET', `/${body.id}`)).status, 404);
});

test('added rules are limited together with the present ones', async () => {
  const rules = (name: string) =>
    Array.from({ length: 2600 }, (_, index) => ({ ...NGINX, string_to_replace: `${name}${index}` }));
  const { body } = await add(rules('a'));
  const added = await ask('POST', `/${body.id}/add-rules`, { rules: rules('b') });
  assert.equal(added.code, 'dictionary_limit');
  assert.equal((await ask('GET', `/${body.id}`)).body.rules.length, 2600);
});

test('aliases, invalid phonemes and dictionaries of others are refused, and nothing is created', async () => {
  const { body } = await add([NGINX]);
  const count = async () => (await ask('GET', '?page_size=100')).body.pronunciation_dictionaries.length;
  const before = await count();
  const alias = { type: 'alias', string_to_replace: 'UN', alias: 'United Nations' };
  const invalid = [
    [alias],
    [{ ...NGINX, alphabet: 'x-sampa' }],
    [{ ...NGINX, string_to_replace: '' }],
    Array.from({ length: 5001 }, () => NGINX),
  ];
  for (const rules of invalid) assert.equal((await add(rules)).status, 400);
  assert.equal((await add([{ ...NGINX, phoneme: 'no phonemes' }])).code, 'invalid_phonemes');
  assert.equal(await count(), before);
  for (const path of [`/${body.id}`, `/${body.id}/${body.version_id}/download`]) {
    assert.equal((await ask('GET', path, undefined, otherKey)).code, 'dictionary_not_found');
  }
  const foreign = await ask('POST', `/${body.id}/set-rules`, { rules: [] }, otherKey);
  assert.equal(foreign.code, 'dictionary_not_found');
});
