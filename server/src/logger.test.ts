import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { textLines } from './logger.ts';

test('a log line for a terminal has time, level, message and fields', () => {
  const written: string[] = [];
  const sink = textLines({ write: (line) => written.push(line) });
  const line = {
    level: 'info',
    time: '2026-01-02T03:04:05.678Z',
    msg: 'request finished',
    status: 200,
    route: '/v1/tts',
  };
  sink.write(`${JSON.stringify(line)}\n`);
  assert.deepEqual(written, ['03:04:05 info  request finished status=200 route=/v1/tts\n']);
});

test('an error is logged with its stack', () => {
  const written: string[] = [];
  const logger = pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (level) => ({ level }) } },
    textLines({ write: (line) => written.push(line) }),
  );
  logger.error({ err: new Error('out of memory') }, 'worker died');
  assert.match(written[0] ?? '', /error worker died\nError: out of memory\n {4}at /);
});
