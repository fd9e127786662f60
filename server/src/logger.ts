import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';

export type { Logger } from 'pino';

export interface LoggerOptions {
  readonly logLevel: string;
  readonly logFormat: string;
}

/** Logs to standard error, so that standard output stays free for what a command prints. */
export function createLogger(config: LoggerOptions): Logger {
  const asText = config.logFormat === 'text' || (config.logFormat === 'auto' && process.stderr.isTTY);
  return pino(
    {
      level: config.logLevel,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        // Libraries log the headers of a request whole when they trace; several of those can hold a key.
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
    asText ? textLines(process.stderr) : pino.destination({ fd: 2, sync: true }),
  );
}

/** Turns pino's JSON lines into lines for a human: time, level, message, then the other fields. */
export function textLines(output: { write(line: string): unknown }): DestinationStream {
  return {
    write(line) {
      const { time, level, msg, err, ...fields } = JSON.parse(line) as LogLine;
      const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${showField(value)}`);
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

function showField(value: unknown): string {
  return typeof value === 'string' && !value.includes(' ') ? value : JSON.stringify(value);
}
