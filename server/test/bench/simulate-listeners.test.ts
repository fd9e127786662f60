import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { countPlaying, simulateListeners } from '../../bench/clients/simulate-listeners.ts';
import { renderPlot } from '../../bench/line-plot.ts';
import { startTestServer, type TestServer } from '../support/servers/http-server.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer();
});
after(() => server.close());

test('concurrent playbacks are counted within the span only', () => {
  const playing = [
    { fromMs: 0, toMs: 100 },
    { fromMs: 50, toMs: 150 },
    { fromMs: 100, toMs: 1000 },
  ];
  assert.deepEqual(countPlaying(playing, { fromMs: 0, toMs: 200 }), { meanPlaying: 1.5, maxPlaying: 2 });
});

test('listeners start at the beginning and later, and every request is counted', async () => {
  const load = await simulateListeners(
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
  assert.ok(load.requests > 3, `${load.requests}`);
  assert.equal(load.firstAudioMs.length + load.refused + load.failed, load.requests);
  assert.equal(load.failed, 0);
});

test('a plot has a line, points and a name per series, and escapes XML', () => {
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
