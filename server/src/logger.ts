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

/** Formats pino's JSON lines as text: time, level, message, then the other fields. */
export function textLines(output: { write(line: string): unknown }): DestinationStream {
  return {
    write(line) {
      const { time, level, msg, err, ...fields } = JSON.parse(line) as LogLine;
      const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${formatField(value)}`);
      const stack = err?.stack ? `\n${err.stack}` : '';
      output.write(`${time.slice(11, 19)} ${level.padEnd(5)} ${msg ?? ''}${rest.join('')}${stack}\n`);
    },
  };
}

interface LogLine extends Record<string, unknown> {
  readonly time: string;
  readonly level: string;
  readonly msg?: string;
  readonly err?: { readonly stack?: string };
}

function formatField(value: unknown): string {
  return typeof value === 'string' && !value.includes(' ') ? value : JSON.stringify(value);
}
