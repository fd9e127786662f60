import { createHttpServer } from '../api/server/server.ts';
import { openAccounts } from '../compose/accounts.ts';
import { openVoiceLibrary, openVoicePreviews } from '../compose/voices.ts';
import { loadConfig } from '../config/config.ts';
import { describeSettings } from '../config/settings-reference.ts';
import { Dictionaries } from '../domain/dictionaries/dictionaries.ts';
import type { DictionaryStore } from '../domain/dictionaries/dictionary-store.ts';
import { createVoiceCatalogue } from '../domain/voices/catalogue/voice-catalogue.ts';
import { ERRORS } from '../errors.ts';
import { openDatabase } from '../infrastructure/sql/database.ts';
import { createLogger } from '../logger.ts';

const NOTE = '<!-- Made by `npm run docs`. Do not edit. -->';

/** `docs/reference/settings.md` */
export function settingsPage(): string {
  const rows = describeSettings().map(
    ({ env, flag, allowed, defaultValue, about }) =>
      `| \`${env}\` | \`${flag}\` | ${allowed} | ${defaultValue === '' ? '' : `\`${defaultValue}\``} | ${about} |`,
  );
  return `${[
    NOTE,
    '# Settings',
    '',
    'Every setting is an environment variable, a command-line option and a key in the config file. Options win',
    'over variables, variables over the file, the file over the defaults. The config file is JSON with the names',
    'of the variables as keys; it is the one named by `MYNAH_CONFIG` or `--config`, else `mynah.config.json` in',
    'the current folder, if there is one. Relative folders start at the current folder. A variable that is set',
    'but empty counts as not set.',
    '',
    '| variable | option | values | default | meaning |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n')}\n`;
}

/** `docs/reference/errors.md` */
export function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, retryable, summary }]) =>
      `| \`${code}\` | ${status} | ${retryable ? 'yes' : 'no'} | ${summary} |`,
  );
  return `${[
    NOTE,
    '# Errors',
    '',
    'Every error answer is JSON, `{"status": 400, "message": "…"}`. When fields were refused, `detail` lists them:',
    '`[{"loc": ["body", "format"], "type": "invalid_value", "msg": "…", "in": "body"}]`.',
    '',
    'The stable code is in the header `x-fish-error-code`, and `x-fish-error-source` says whether the `client` or',
    'the `server` is at fault. `x-fish-trace-id` is on every answer; it names the request in the server’s log.',
    'When a request may be repeated, do so after the seconds that `Retry-After` names, if it is there.',
    '',
    'An answer that has begun with 200 cannot turn into an error. When speech fails midway the connection is cut,',
    'so that a client sees an incomplete transfer and not a short file.',
    '',
    '| code | status | worth repeating | meaning |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n')}\n`;
}

/** `server/openapi.json` */
export async function openApiFile(): Promise<string> {
  const onlyDescribes = () => {
    throw new Error('This server only describes itself.');
  };
  const { config } = loadConfig({ MYNAH_LOG_LEVEL: 'silent' });
  const logger = createLogger(config);
  const db = await openDatabase(':memory:');
  const books = openAccounts(db, config, logger);
  const http = await createHttpServer({
    config,
    logger,
    ...books,
    speech: { speak: onlyDescribes, speakTimed: onlyDescribes, speakLive: onlyDescribes },
    voices: createVoiceCatalogue([]),
    library: openVoiceLibrary(db, config, { logger, audit: books.audit }),
    voiceFinder: { find: onlyDescribes },
    previews: openVoicePreviews(config, { speak: onlyDescribes }),
    designer: { design: onlyDescribes, recall: onlyDescribes },
    transcription: {
      transcription: { transcribe: onlyDescribes, listen: onlyDescribes },
      jobs: { submit: onlyDescribes, find: onlyDescribes, cancel: onlyDescribes },
      uploads: { create: onlyDescribes, pathOf: onlyDescribes, discard: onlyDescribes, kept: onlyDescribes },
    },
    dictionaries: new Dictionaries({ store: {} as DictionaryStore, limits: config }),
    pronunciations: { find: onlyDescribes },
    health: () => ({ status: 'ok', live: true, ready: true, version: '', models: [], workers: [] }),
  });
  const document = http.openApi();
  await http.close(0);
  await books.close();
  await db.destroy();
  return `${JSON.stringify(document, null, 2)}\n`;
}
