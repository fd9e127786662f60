import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';

const BASE = '/v1/pronunciation-dictionaries';
const RULE = { key: 'nginx', value: 'EH1 N JH AH0 N EH1 K S' };

let server: TestServer;
let otherKey: string;
before(async () => {
  server = await startTestServer({ config: { dictionariesMax: 40, dictionaryVersionsMax: 3 } });
  otherKey = await server.createKeyFor('acc_other');
});
after(() => server.close());

interface Answer {
  readonly status: number;
  readonly code: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: the tests read fields of many types.
  readonly body: any;
}

async function ask(method: string, path: string, body?: unknown, key = server.key): Promise<Answer> {
  const response = await server.call(BASE + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    code: response.headers.get('x-fish-error-code'),
    body: text === '' ? undefined : JSON.parse(text),
  };
}

async function newDictionary(name = 'Terms'): Promise<string> {
  const { status, body } = await ask('POST', '', { name, description: 'Ours' });
  assert.equal(status, 201);
  return body.id;
}

async function publish(id: string, expected: string | null, rules: unknown[] = [RULE]): Promise<string> {
  const { status, body } = await ask('POST', `/${id}/versions`, {
    rules,
    expected_latest_version_id: expected,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body.id;
}

test('a repeated Idempotency-Key creates no second dictionary and no second version', async () => {
  const twice = async (path: string, body: unknown) => {
    const send = async () => {
      const response = await server.call(BASE + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': `once${path}` },
        body: JSON.stringify(body),
      });
      assert.equal(response.status, 201);
      return (await response.json()) as { readonly id: string };
    };
    const first = await send();
    assert.deepEqual(await send(), first);
    return first;
  };
  const { id } = await twice('', { name: 'Once' });
  const version = await twice(`/${id}/versions`, { rules: [RULE], expected_latest_version_id: null });
  const { body } = await ask('GET', `/${id}/versions`);
  assert.deepEqual(
    body.items.map((each: { readonly id: string }) => each.id),
    [version.id],
  );
});

test('a new dictionary is empty and can be read by its id', async () => {
  const { status, body } = await ask('POST', '', { name: ' Terms ', description: null });
  assert.equal(status, 201);
  assert.match(body.id, /^[0-9a-f]{32}$/);
  assert.deepEqual([body.name, body.description, body.latest_version_id], ['Terms', '', null]);
  assert.equal(new Date(body.created_at).toISOString(), body.created_at);
  assert.deepEqual(await ask('GET', `/${body.id}`), { status: 200, code: null, body });
});

test('a dictionary can be renamed and described', async () => {
  const id = await newDictionary();
  const renamed = await ask('PATCH', `/${id}`, { name: 'Names' });
  assert.deepEqual([renamed.status, renamed.body.name, renamed.body.description], [200, 'Names', 'Ours']);
  const described = await ask('PATCH', `/${id}`, { description: '' });
  assert.deepEqual([described.body.name, described.body.description], ['Names', '']);
});

test('a version has the complete ordered list, and the dictionary references the latest', async () => {
  const id = await newDictionary();
  const first = await publish(id, null);
  const rules = [
    { key: 'SQL', value: 'S IY1 K W AH0 L', case_sensitive: true },
    { key: '重庆', value: 'chong2 qing4' },
  ];
  const second = await publish(id, first, rules);
  assert.equal((await ask('GET', `/${id}`)).body.latest_version_id, second);
  const { body } = await ask('GET', `/${id}/versions/${second}`);
  assert.deepEqual(body.rules, [rules[0], { ...rules[1], case_sensitive: false }]);
  assert.deepEqual([body.version_number, body.rule_count, body.dictionary_id], [2, 2, id]);
  assert.deepEqual((await ask('GET', `/${id}/versions/${first}`)).body.rules, [
    { ...RULE, case_sensitive: false },
  ]);
  const { body: list } = await ask('GET', `/${id}/versions`);
  assert.deepEqual(
    list.items.map((version: { id: string }) => version.id),
    [second, first],
  );
  assert.deepEqual([list.total, list.has_more, list.next_cursor], [2, false, null]);
});

test('publishing based on an outdated version is a conflict', async () => {
  const id = await newDictionary();
  const first = await publish(id, null);
  for (const expected of [null, 'f'.repeat(32)]) {
    const stale = await ask('POST', `/${id}/versions`, { rules: [], expected_latest_version_id: expected });
    assert.deepEqual([stale.status, stale.code], [409, 'dictionary_conflict']);
  }
  assert.equal((await ask('GET', `/${id}`)).body.latest_version_id, first);
});

test('one of many concurrent publications succeeds', async () => {
  const id = await newDictionary();
  const answers = await Promise.all(
    Array.from({ length: 6 }, () =>
      ask('POST', `/${id}/versions`, { rules: [RULE], expected_latest_version_id: null }),
    ),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409]);
});

test('versions can be archived once, except the latest', async () => {
  const id = await newDictionary();
  const first = await publish(id, null);
  const second = await publish(id, first);
  assert.deepEqual(await ask('DELETE', `/${id}/versions/${first}`), {
    status: 204,
    code: null,
    body: undefined,
  });
  for (const version of [first, second, 'nobody']) {
    const { status, code } = await ask('DELETE', `/${id}/versions/${version}`);
    assert.deepEqual([status, code], [409, 'dictionary_conflict']);
  }
  assert.equal((await ask('GET', `/${id}/versions/${first}`)).status, 404);
  assert.equal((await ask('GET', `/${id}/versions`)).body.total, 1);
});

test('an archived dictionary is not found, and archiving it again is no error', async () => {
  const id = await newDictionary();
  const version = await publish(id, null);
  for (const _ of [1, 2]) assert.equal((await ask('DELETE', `/${id}`)).status, 204);
  for (const path of [`/${id}`, `/${id}/versions`, `/${id}/versions/${version}`]) {
    const { status, code } = await ask('GET', path);
    assert.deepEqual([status, code], [404, 'dictionary_not_found']);
  }
  assert.equal((await ask('PATCH', `/${id}`, { name: 'x' })).status, 404);
  assert.equal((await ask('POST', `/${id}/versions`, { rules: [] })).status, 404);
  const { body } = await ask('GET', '?page_size=100');
  assert.ok(!body.items.some((dictionary: { id: string }) => dictionary.id === id));
});

test('dictionaries of other accounts are not found', async () => {
  const id = await newDictionary();
  const version = await publish(id, null);
  const attempts: [string, string, unknown?][] = [
    ['GET', `/${id}`],
    ['PATCH', `/${id}`, { name: 'mine' }],
    ['DELETE', `/${id}`],
    ['GET', `/${id}/versions`],
    ['POST', `/${id}/versions`, { rules: [], expected_latest_version_id: version }],
    ['GET', `/${id}/versions/${version}`],
    ['DELETE', `/${id}/versions/${version}`],
  ];
  for (const [method, path, body] of attempts) {
    const answer = await ask(method, path, body, otherKey);
    assert.deepEqual([answer.status, answer.code], [404, 'dictionary_not_found'], `${method} ${path}`);
  }
  assert.deepEqual((await ask('GET', '', undefined, otherKey)).body.items, []);
  assert.equal((await ask('GET', `/${id}`)).status, 200);
});

test('pagination by cursor and by number gives every dictionary once, newest first', async () => {
  const all = (await ask('GET', '?page_size=100')).body.items.map(({ id }: { id: string }) => id);
  assert.ok(all.length > 4);
  const byCursor: string[] = [];
  for (let query = '?page_size=3'; ; ) {
    const { body } = await ask('GET', query);
    byCursor.push(...body.items.map(({ id }: { id: string }) => id));
    if (!body.has_more) break;
    query = `?page_size=3&cursor=${body.next_cursor}`;
  }
  assert.deepEqual(byCursor, all);
  const second = await ask('GET', '?page_size=3&page=2');
  assert.deepEqual(
    second.body.items.map(({ id }: { id: string }) => id),
    all.slice(3, 6),
  );
  assert.equal(second.body.total, all.length);
});

test('the limits of dictionaries per account and versions per dictionary apply', async () => {
  const id = await newDictionary();
  let latest: string | null = null;
  for (const _ of [1, 2, 3]) latest = await publish(id, latest);
  const more = await ask('POST', `/${id}/versions`, { rules: [], expected_latest_version_id: latest });
  assert.deepEqual([more.status, more.code], [409, 'dictionary_limit']);
  let answer = await ask('POST', '', { name: 'x' }, otherKey);
  for (let count = 0; answer.status === 201 && count < 50; count++)
    answer = await ask('POST', '', { name: 'x' }, otherKey);
  assert.deepEqual([answer.status, answer.code], [409, 'dictionary_limit']);
  assert.equal((await ask('GET', '', undefined, otherKey)).body.total, 40);
});

test('the lists require a key', async () => {
  const response = await fetch(server.url + BASE);
  assert.equal(response.status, 401);
});

const WRONG: readonly [method: string, path: string, body: unknown, status: number, message: RegExp][] = [
  ['POST', '', {}, 422, /missing field `name`/],
  ['POST', '', { name: ' ' }, 422, /name must have 1 to 128 characters/],
  ['POST', '', { name: 'x'.repeat(129) }, 422, /name must have 1 to 128/],
  ['POST', '', { name: 'x', description: 'x'.repeat(1025) }, 422, /at most 1024/],
  ['POST', '/ID/versions', {}, 422, /give the list as `rules`/],
  ['POST', '/ID/versions', { rules: [{ key: '', value: 'AH1' }] }, 422, /key must have 1 to 256/],
  ['POST', '/ID/versions', { rules: [{ key: 'a', value: '<|phoneme_end|>' }] }, 422, /phoneme markers/],
  ['POST', '/ID/versions', { rules: [{ key: 'a', value: 'ah' }] }, 400, /`rules\[0\]`, "a", are invalid/],
  ['POST', '/ID/versions', { rules: Array(5001).fill(RULE) }, 422, /at most 5000 items/],
  ['GET', '?page_size=0', undefined, 422, /page_size must be in \[1, 100\]/],
  ['GET', '?cursor=abc', undefined, 422, /cursor is not valid/],
  ['GET', '?cursor=abc&page=1', undefined, 422, /either page or cursor/],
];
for (const [method, path, body, status, message] of WRONG) {
  test(`${method} ${path} with ${JSON.stringify(body)?.slice(0, 60)} is rejected with ${status}`, async () => {
    const answer = await ask(method, path.replace('ID', await newDictionary()), body);
    assert.equal(answer.status, status);
    assert.match(answer.body.message, message);
  });
}

/** The dictionary values that the last speech request has for the test words. */
async function spoken(pronunciation_dictionary: unknown, key = server.key): Promise<(string | undefined)[]> {
  const response = await server.speak(
    { text: 'hi', pronunciation_dictionary },
    { authorization: `Bearer ${key}` },
  );
  assert.equal(response.status, 200, await response.clone().text());
  await response.arrayBuffer();
  const { pronunciations } = server.speech.requests.at(-1)!;
  return ['nginx', 'SQL'].map((word) => pronunciations?.longestAt(word, 0, word.length)?.value);
}

test('a speech request applies published versions in order and ignores unknown ones', async () => {
  const [one, two] = [await newDictionary(), await newDictionary()];
  const first = { id: one, version: await publish(one, null) };
  const rules = [
    { key: 'NGINX', value: 'AH1' },
    { key: 'sql', value: 'AO1' },
  ];
  const second = { id: two, version: await publish(two, null, rules) };
  const unknown = { id: 'nobody', version: first.version };
  assert.deepEqual(await spoken([first, second]), [RULE.value, 'AO1']);
  assert.deepEqual(await spoken([second, first]), ['AH1', 'AO1']);
  assert.deepEqual(await spoken([unknown, second]), ['AH1', 'AO1']);
  assert.deepEqual(await spoken([unknown]), [undefined, undefined]);
  assert.deepEqual(await spoken([first], otherKey), [undefined, undefined]);
  assert.deepEqual(await spoken([]), [undefined, undefined]);
  assert.deepEqual(await spoken(null), [undefined, undefined]);
  await ask('DELETE', `/${one}`);
  assert.deepEqual(await spoken([first]), [undefined, undefined]);
});

test('a speech request can contain inline lists', async () => {
  assert.deepEqual(
    await spoken([{ items: [RULE] }, { items: [{ key: 'SQL', value: '/a/', case_sensitive: true }] }]),
    [RULE.value, '/a/'],
  );
});

const WRONG_CHOICES: readonly [choices: unknown, code: string, message: RegExp][] = [
  [
    [{ items: [RULE] }, { id: 'a', version: 'b' }],
    'invalid_request',
    /references only, or lists of items only/,
  ],
  [Array(4).fill({ items: [RULE] }), 'invalid_request', /at most 3 entries/],
  [[{ id: 'a' }], 'invalid_request', /\{id, version\} or \{items\}: version/],
  [[{ id: 'a b', version: 'c' }], 'invalid_request', /id must match/],
  [[{ items: [{ key: 'x'.repeat(257), value: 'AH1' }] }], 'invalid_request', /key must have 1 to 256/],
  [[{ items: [{ key: 'a', value: '<|PHONEME_START|>AH1' }] }], 'invalid_request', /phoneme markers/],
  [[{ items: Array(5001).fill(RULE) }], 'invalid_request', /at most 5000 items/],
  [
    [{ items: [{ key: 'a', value: 'XX' }] }],
    'invalid_phonemes',
    /`pronunciation_dictionary\[0\]\.items\[0\]`, .*Arpabet has no symbol "XX"/,
  ],
  ['nginx', 'invalid_request', /pronunciation_dictionary/],
];
for (const [choices, code, message] of WRONG_CHOICES) {
  test(`pronunciation_dictionary ${JSON.stringify(choices).slice(0, 60)} is rejected`, async () => {
    const response = await server.speak({ text: 'hi', pronunciation_dictionary: choices });
    assert.deepEqual([response.status, response.headers.get('x-fish-error-code')], [400, code]);
    assert.match(((await response.json()) as { message: string }).message, message);
  });
}
