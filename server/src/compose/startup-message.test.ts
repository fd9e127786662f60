import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { formatStartupMessage } from './startup-message.ts';

const url = 'http://127.0.0.1:8080';

test('the first start prints the key and a command that uses it', () => {
  const text = formatStartupMessage({ url, firstKey: 'mynah_abc', firstKeyFile: resolve('data/first-key') });
  assert.match(text, /Bearer mynah_abc"/);
  assert.match(text, /stored in data\/first-key/);
  assert.match(text, /--output hello\.mp3/);
});

test('a later start prints a command that reads the key from its file', () => {
  const text = formatStartupMessage({ url, firstKey: undefined, firstKeyFile: resolve('my data/first-key') });
  assert.match(text, /Bearer \$\(cat 'my data\/first-key'\)"/);
  assert.doesNotMatch(text, /shown only once/);
});

test('without a first key the command has a placeholder', () => {
  assert.match(
    formatStartupMessage({ url, firstKey: undefined, firstKeyFile: undefined }),
    /Bearer YOUR_KEY"/,
  );
});
