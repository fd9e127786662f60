import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { activeTraceIds } from './tracing/tracing.ts';

export type { Logger } from 'pino';

export interface LoggerOptions {
  readonly logLevel: string;
  readonly logFormat: string;
}

/** Creates a logger on `output`, by default standard error; standard output is for the output of commands. */
export function createLogger(config: LoggerOptions, output?: DestinationStream): Logger {
  const isText = config.logFormat === 'text' || (config.logFormat === 'auto' && process.stderr.isTTY);
  return pino(
    {
      level: config.logLevel,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => activeTraceIds() ?? {},
      serializers: { err: describeError },
      redact: {
        // At trace level, libraries log all request headers; several of them can contain a key.
        paths: [
          'authorization',
          '*.authorization',
          'key',
          '*.key',
          'token',
          '*.token',
          'headers',
          '*.headers',
        ],
        censor: '[secret]',
      },
    },
    output ?? (isText ? textLines(process.stderr) : pino.destination({ fd: 2, sync: true })),
  );
}

interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly stack: string;
  readonly code?: string;
  readonly cause?: LoggedError;
}

const CAUSES_MAX = 4;
const MESSAGE_CHARS_MAX = 500;
const QUOTATION = /"[^"]*"?|“[^”]*”?|«[^»]*»?|`[^`]*`?|(?<![\p{L}\p{N}])'[^']*'?/gu;
/** A path in the message of a system error. */
const QUOTED_PATH = /^'\/[\w./@-]*'$/;

/**
 * An error for the log. Parsers and engines quote their input in messages and attach it to their errors, so quotations
 * are removed, and of the properties only the code is kept.
 */
export function describeError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: '', stack: '' };
  const { name, message, stack = '', cause, code } = error as NodeJS.ErrnoException;
  const kept = withoutQuotations(message).slice(0, MESSAGE_CHARS_MAX);
  // The message stands at the head of the stack, and may have several lines.
  const trace = stack.slice(stack.lastIndexOf(message) + message.length);
  const frames = trace.split('\n').filter((line) => /^ {4}at /.test(line));
  return {
    type: name,
    message: kept,
    stack: [`${name}: ${kept}`, ...frames].join('\n'),
    ...(/^[\w.-]{1,64}$/.test(code ?? '') && { code: String(code) }),
    ...(cause instanceof Error && depth < CAUSES_MAX && { cause: describeError(cause, depth + 1) }),
  };
}

function withoutQuotations(message: string): string {
  return message.replaceAll(QUOTATION, (quotation) => (QUOTED_PATH.test(quotation) ? quotation : '"…"'));
}

/** Formats pino's JSON lines as text: time, level, message, then the other fields. */
export function textLines(output: { write(line: string): unknown }): DestinationStream {
  return {
    write(line) {
      const { time, level, msg, err, ...fields } = JSON.parse(line) as LogLine;
      const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${formatField(value)}`);
      output.write(`${time.slice(11, 19)} ${level.padEnd(5)} ${msg ?? ''}${rest.join('')}${stacksOf(err)}\n`);
    },
  };
}

interface LogLine extends Record<string, unknown> {
  readonly time: string;
  readonly level: string;
  readonly msg?: string;
  readonly err?: LoggedError;
}

/** The stacks of an error and of its causes. */
function stacksOf(error: LoggedError | undefined): string {
  return error === undefined ? '' : `\n${error.stack}${stacksOf(error.cause)}`;
}

function formatField(value: unknown): string {
  return typeof value === 'string' && !value.includes(' ') ? value : JSON.stringify(value);
}
