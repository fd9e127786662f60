import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionCookie, sessionTokenOf } from './session-cookie.ts';

test('over HTTPS the cookie has the __Host- prefix and is secure', () => {
  const cookie = sessionCookie('abc', { origin: 'https://voice.example', maxAgeSeconds: 60 });
  assert.equal(cookie, '__Host-mynah-session=abc; Secure; Path=/; HttpOnly; SameSite=Lax; Max-Age=60');
});

test('over plain HTTP the cookie has no prefix, because browsers would reject it', () => {
  const cookie = sessionCookie('abc', { origin: 'http://localhost:8080', maxAgeSeconds: 60.9 });
  assert.equal(cookie, 'mynah-session=abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=60');
});

test('the token is found among other cookies, and the secure name takes precedence', () => {
  assert.equal(sessionTokenOf('a=b; mynah-session=plain; c=d'), 'plain');
  assert.equal(sessionTokenOf('mynah-session=plain; __Host-mynah-session=secure'), 'secure');
  assert.equal(sessionTokenOf('a=b'), undefined);
  assert.equal(sessionTokenOf(undefined), undefined);
});
