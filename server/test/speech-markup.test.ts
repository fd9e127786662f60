import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type RealServer, startRealServer } from './real-server.ts';

let server: RealServer;
before(async () => {
  server = await startRealServer({ env: { MYNAH_WORKERS: '1' } });
});
after(() => server.close());

async function sound(body: Record<string, unknown>): Promise<Buffer> {
  const response = await server.speak({ format: 'pcm', sample_rate: 24_000, seed: 1, ...body });
  assert.equal(response.status, 200, await response.clone().text());
  return Buffer.from(await response.arrayBuffer());
}

async function refusal(body: Record<string, unknown>): Promise<{ code: string | null; message: string }> {
  const response = await server.speak(body);
  assert.equal(response.status, 400);
  const { message } = (await response.json()) as { message: string };
  return { code: response.headers.get('x-fish-error-code'), message };
}

test('a phoneme span sounds like the word it spells, and another one does not', async () => {
  const written = await sound({ text: 'I like water.' });
  const same = await sound({ text: 'I like <|phoneme_start|>W AO1 T ER0<|phoneme_end|>.' });
  const other = await sound({ text: 'I like <|phoneme_start|>W IH1 N T ER0<|phoneme_end|>.' });
  assert.ok(written.equals(same));
  assert.ok(!written.equals(other));
});

test('phonemes that cannot be read are refused before any audio', async () => {
  assert.deepEqual(
    await refusal({ text: `${'A long text. '.repeat(500)}<|phoneme_start|>NX<|phoneme_end|>` }),
    {
      code: 'invalid_phonemes',
      message:
        'The phonemes "NX" at character 6517 cannot be read: Arpabet has no symbol "NX"; IPA stands between slashes.',
    },
  );
  assert.equal((await refusal({ text: 'so <|phoneme_start|>EH1' })).code, 'invalid_phonemes');
});

test('a dictionary makes a word sound as its phonemes do', async () => {
  const items = [{ key: 'nginx', value: 'EH1 N JH AH0 N' }];
  const dictionary = { text: 'The NGINX, 5 of them.', pronunciation_dictionary: [{ items }] };
  const spelled = { text: 'The <|phoneme_start|>EH1 N JH AH0 N<|phoneme_end|>, 5 of them.' };
  assert.ok((await sound(dictionary)).equals(await sound(spelled)));
  assert.ok(!(await sound({ text: dictionary.text })).equals(await sound(dictionary)));
});
