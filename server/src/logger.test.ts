import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { pino } from 'pino';
import { createLogger, textLines } from './logger.ts';

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

test('an error is logged without what it quotes and without its properties, and with its causes', () => {
  const SECRET = 'a private text';
  const written: string[] = [];
  const logger = createLogger(
    { logLevel: 'info', logFormat: 'json' },
    { write: (line) => void written.push(line) },
  );
  const parserError = assertThrown(() => JSON.parse(`{"x": ${SECRET}`));
  const messages = [
    `unexpected "${SECRET}"`,
    `unexpected '${SECRET}'`,
    `unexpected “${SECRET}”`,
    `unexpected \`${SECRET}\``,
    `cut off: "${SECRET}`,
    `two lines: "first\n    at ${SECRET}"`,
  ];
  for (const message of messages) logger.error({ err: new Error(message) }, 'failed');
  logger.error({ err: new Error('outer', { cause: parserError }) }, 'failed');
  logger.error({ err: Object.assign(new Error('failed'), { detail: SECRET, code: '23505' }) }, 'failed');
  logger.error({ err: SECRET }, 'failed');
  assert.ok(!written.join('').includes('private'), written.join(''));
  const { err } = JSON.parse(written.at(-2) ?? '');
  assert.equal(err.code, '23505');
  assert.match(err.stack, /\n {4}at /);
  assert.equal(JSON.parse(written.at(-3) ?? '').err.cause.type, 'SyntaxError');
});

test('the path in the message of a system error is logged', () => {
  const written: string[] = [];
  const logger = createLogger(
    { logLevel: 'info', logFormat: 'json' },
    { write: (line) => void written.push(line) },
  );
  logger.error({ err: assertThrown(() => readFileSync('/does/not-exist')) }, 'failed');
  const { err } = JSON.parse(written[0] ?? '');
  assert.equal(err.code, 'ENOENT');
  assert.match(err.message, /'\/does\/not-exist'/);
});

function assertThrown(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return assert.fail('nothing was thrown');
}
