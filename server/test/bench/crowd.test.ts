import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { countPlaying, serveCrowd } from '../../bench/crowd.ts';
import { renderPlot } from '../../bench/line-plot.ts';
import { startTestServer, type TestServer } from '../support/http-server.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer();
});
after(() => server.close());

test('how many play at once is counted within the span alone', () => {
  const playing = [
    { fromMs: 0, toMs: 100 },
    { fromMs: 50, toMs: 150 },
    { fromMs: 100, toMs: 1000 },
  ];
  assert.deepEqual(countPlaying(playing, { fromMs: 0, toMs: 200 }), { meanPlaying: 1.5, mostPlaying: 2 });
});

test('a crowd comes at the doors opening and afterwards, and everybody is counted', async () => {
  const crowd = await serveCrowd(
    { url: server.url, apiKey: server.key },
    {
      listeners: 3,
      seconds: 1,
      textFor: (request) => `Number ${request}.`,
      textSeconds: 0.3,
      thinkSeconds: 0.3,
      random: () => 0.5,
    },
  );
  assert.ok(crowd.requests > 3, `${crowd.requests}`);
  assert.equal(crowd.firstAudioMs.length + crowd.refused + crowd.failed, crowd.requests);
  assert.equal(crowd.failed, 0);
});

test('a plot has a line, its points and its name for each series, and is safe XML', () => {
  const svg = renderPlot({
    title: 'A < B & C',
    subtitle: 'x',
    xLabel: 'x',
    yLabel: 'y',
    xs: [1, 2],
    lines: [{ name: 'p50', values: [10, 42] }],
  });
  assert.equal(svg.match(/<polyline /g)?.length, 1);
  assert.equal(svg.match(/<circle /g)?.length, 2);
  assert.ok(svg.includes('A &lt; B &amp; C') && svg.includes('>p50</text>') && svg.includes('>50</text>'));
});
