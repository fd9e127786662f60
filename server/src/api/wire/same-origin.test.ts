import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCrossSite, isSameOrigin } from './same-origin.ts';

const host = 'voice.example:8080';

test('Sec-Fetch-Site decides where it is present', () => {
  assert.ok(isSameOrigin({ host, 'sec-fetch-site': 'same-origin' }));
  for (const site of ['same-site', 'cross-site', 'none']) {
    assert.ok(!isSameOrigin({ host, 'sec-fetch-site': site, origin: `http://${host}` }), site);
  }
});

test('without it the Origin or the Referer must name the host', () => {
  assert.ok(isSameOrigin({ host, origin: `http://${host}` }));
  assert.ok(isSameOrigin({ host, referer: `http://${host}/voices` }));
  for (const origin of [
    'null',
    'http://voice.example',
    'http://evil.example:8080',
    `http://${host}.evil.example`,
  ]) {
    assert.ok(!isSameOrigin({ host, origin }), origin);
  }
  assert.ok(!isSameOrigin({ host, origin: 'http://evil.example', referer: `http://${host}/` }));
  assert.ok(!isSameOrigin({ host }));
});

test('a program without browser headers is not a cross-site page', () => {
  assert.ok(!isCrossSite({ host }));
  assert.ok(isCrossSite({ host, origin: 'http://evil.example' }));
  assert.ok(isCrossSite({ host, 'sec-fetch-site': 'cross-site' }));
});
