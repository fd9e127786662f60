import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { unpack } from 'msgpackr';
import type { ModelEntity } from '../../../src/api/schemas/voices/model-entity.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer();
});
after(() => server.close());

interface List {
  readonly total: number;
  readonly has_more: boolean;
  readonly items: readonly ModelEntity[];
}

async function list(query: string): Promise<List> {
  const response = await server.call(`/model?${query}`);
  assert.equal(response.status, 200, await response.clone().text());
  return (await response.json()) as List;
}

const names = ({ items }: List) => items.map(({ tags }) => tags.at(-1));

test('a page has ten voices, the default voice first', async () => {
  const first = await list('');
  assert.equal(first.total, 54);
  assert.equal(first.items.length, 10);
  assert.equal(first.has_more, true);
  assert.equal(names(first)[0], 'af_heart');
});

test('all pages together contain each voice once', async () => {
  const pages = await Promise.all([1, 2, 3, 4].map((page) => list(`page_size=20&page_number=${page}`)));
  assert.deepEqual(
    pages.map(({ items }) => items.length),
    [20, 20, 14, 0],
  );
  assert.deepEqual(
    pages.map((page) => page.has_more),
    [true, true, false, false],
  );
  assert.equal(new Set(pages.flatMap(({ items }) => items.map(({ _id }) => _id))).size, 54);
});

const FILTERS = [
  ['title=HEART', 1],
  ['title=%20emma%20', 1],
  ['title=bf_', 4],
  ['title=nobody', 0],
  ['language=en', 28],
  ['language=en-GB', 8],
  ['language=fr&language=it', 3],
  ['language=de', 0],
  ['tag=male', 25],
  ['tag=male&tag=japanese', 1],
  ['tag[]=female&tag[]=british+english', 4],
  ['self=true', 0],
  ['self=false&sort_by=task_count', 54],
  ['author_id=nobody', 0],
  ['title_language=en', 54],
  ['title_language=zh', 0],
  ['licensed=true', 54],
  ['sort_by=created_at&colour=red', 54],
] as const;
for (const [query, total] of FILTERS) {
  test(`GET /model?${query} finds ${total}`, async () => assert.equal((await list(query)).total, total));
}

test('every voice has all required fields, none of them null', async () => {
  const { items } = await list('page_size=100');
  assert.equal(items.length, 54);
  for (const item of items) {
    for (const [field, value] of Object.entries(item)) assert.notEqual(value, null, field);
    assert.match(item._id, /^[0-9a-f]{32}$/);
    assert.equal(item.train_mode, 'fast');
    assert.equal(item.state, 'trained');
    assert.match(item.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(Object.keys(item.author), ['_id', 'nickname', 'avatar']);
  }
});

test('a voice is found by its id, its name and its title, and is usable by its id', async () => {
  const byName = (await (await server.call('/model/af_heart')).json()) as ModelEntity;
  assert.deepEqual(await (await server.call(`/model/${byName._id}`)).json(), byName);
  assert.deepEqual(await (await server.call('/model/Heart')).json(), byName);
  const speech = await server.speak({ text: 'hi', reference_id: byName._id });
  assert.equal(speech.headers.get('x-mynah-voice'), 'af_heart');
  await speech.arrayBuffer();
});

test('an unknown voice is a 404', async () => {
  for (const id of ['nobody', 'f'.repeat(32), 'x'.repeat(99), '%F0%9F%98%80']) {
    const response = await server.call(`/model/${id}`);
    assert.equal(response.status, 404);
    assert.deepEqual(await response.json(), { status: 404, message: 'Model not found' });
  }
});

const REFUSED = [
  ['page_size=101', 'page_size', 'page_size must be in [1, 100]'],
  ['page_size=0', 'page_size', 'page_size must be in [1, 100]'],
  ['page_size=ten', 'page_size', 'page_size must be in [1, 100]'],
  ['page_size=1.5', 'page_size', 'page_size must be in [1, 100]'],
  ['page_number=0', 'page_number', 'page_number must be in [1, 1000000]'],
  ['self=maybe', 'self', 'self must be true or false'],
  [
    'sort_by=beauty',
    'sort_by',
    'unknown variant `beauty`, expected one of `score`, `task_count`, `created_at`',
  ],
] as const;
for (const [query, field, message] of REFUSED) {
  test(`GET /model?${query} is rejected with 422`, async () => {
    const response = await server.call(`/model?${query}`);
    assert.equal(response.status, 422);
    const answer = (await response.json()) as {
      status: number;
      message: string;
      detail: { loc: string[]; in: string }[];
    };
    assert.equal(answer.status, 422);
    assert.equal(answer.message, message);
    assert.deepEqual(answer.detail[0]?.loc, ['query', field]);
    assert.equal(answer.detail[0]?.in, 'query');
    assert.equal(response.headers.get('x-fish-error-code'), 'invalid_parameter');
  });
}

test('the list of references is MessagePack, or JSON on request', async () => {
  const packed = await server.call('/v1/references/list');
  assert.equal(packed.headers.get('content-type'), 'application/msgpack');
  const answer = unpack(Buffer.from(await packed.arrayBuffer())) as {
    success: boolean;
    reference_ids: string[];
  };
  assert.equal(answer.success, true);
  assert.equal(answer.reference_ids.length, 54);
  for (const [path, headers] of [
    ['?format=json', {}],
    ['', { accept: 'application/json' }],
  ] as const) {
    const response = await server.call(`/v1/references/list${path}`, { headers });
    assert.deepEqual(await response.json(), answer);
  }
});
