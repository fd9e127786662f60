import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countAlarms } from '../../bench/watermark-alarms.ts';
import { DETECTION_RATE_HZ } from '../../src/audio/watermark/chip-meter.ts';
import { FALSE_ALARM_PROBABILITY, scoreThreshold } from '../../src/audio/watermark/watermark-detector.ts';
import { WatermarkEmbedder } from '../../src/audio/watermark/watermark-embedder.ts';
import { WatermarkPattern } from '../../src/audio/watermark/watermark-pattern.ts';
import { noise, runStage } from '../support/audio/signals.ts';

test('every window and key is searched, and a watermark is detected with its own key only', async () => {
  const plain = noise(10 * DETECTION_RATE_HZ, 0.1, 3);
  const mark = { pattern: new WatermarkPattern('ours'), number: 7, sampleRateHz: DETECTION_RATE_HZ };
  const marked = runStage(new WatermarkEmbedder(mark), [plain]);
  const alarm = scoreThreshold(FALSE_ALARM_PROBABILITY, 1);
  async function* windows() {
    yield plain;
    yield marked;
  }
  const count = await countAlarms(windows(), ['ours', 'theirs', 'another'], [0.1, alarm]);
  assert.deepEqual([count.windows, count.searches, count.audioSeconds], [2, 6, 20]);
  assert.deepEqual([...count.reached.values()], [6, 1]);
  assert.ok(count.highest > alarm);
});
