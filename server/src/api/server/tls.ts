import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { createSecureContext, type Server } from 'node:tls';
import { type Config, ConfigError } from '../../config/config.ts';
import type { Logger } from '../../logger.ts';

/** Time between two looks at the files. Polling also notices a symbolic link that points elsewhere. */
const POLL_MS = 2000;

type TlsConfig = Pick<Config, 'tlsCert' | 'tlsKey'>;

interface TlsPaths {
  readonly cert: string;
  readonly key: string;
}

interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/**
 * The certificate and the key of the settings; undefined without them. Throws a `ConfigError` when one is missing, cannot
 * be read, or does not belong to the other.
 */
export function readTlsFiles(config: TlsConfig): TlsFiles | undefined {
  const paths = pathsOf(config);
  return paths && readPair(paths);
}

/** Applies changed files to new connections of a server. Files that cannot be used are reported, and the old ones stay. */
export function reloadTlsFiles(
  server: Pick<Server, 'setSecureContext'>,
  config: TlsConfig,
  logger: Logger,
  pollMs = POLL_MS,
): { close(): void } {
  const paths = pathsOf(config);
  const reload = () => {
    try {
      server.setSecureContext(readPair(paths!));
      logger.info('the TLS certificate was reloaded');
    } catch (error) {
      // One of two files may have been replaced so far; the change of the other is noticed as well.
      logger.warn({ problem: (error as Error).message }, 'the TLS certificate was not reloaded');
    }
  };
  const files = paths === undefined ? [] : [paths.cert, paths.key];
  for (const file of files) watchFile(file, { interval: pollMs, persistent: false }, reload);
  return {
    close() {
      for (const file of files) unwatchFile(file, reload);
    },
  };
}

function pathsOf({ tlsCert, tlsKey }: TlsConfig): TlsPaths | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new ConfigError('MYNAH_TLS_CERT and MYNAH_TLS_KEY have to be set together.');
  }
  return { cert: tlsCert, key: tlsKey };
}

function readPair(paths: TlsPaths): TlsFiles {
  const files = { cert: read('MYNAH_TLS_CERT', paths.cert), key: read('MYNAH_TLS_KEY', paths.key) };
  try {
    createSecureContext(files);
  } catch (error) {
    throw new ConfigError(
      `MYNAH_TLS_CERT, MYNAH_TLS_KEY: not a certificate and its private key in PEM (${(error as Error).message}).`,
    );
  }
  return files;
}

function read(setting: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConfigError(`${setting}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
