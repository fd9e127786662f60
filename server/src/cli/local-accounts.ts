import { userInfo } from 'node:os';
import { openAccounts } from '../compose/accounts.ts';
import { deleteAudiobooks } from '../compose/audiobooks.ts';
import { openVoiceLibrary } from '../compose/voices.ts';
import type { Config } from '../config/config.ts';
import { createLogger } from '../logger.ts';
import { openLocalDatabase } from './local-database.ts';
import { createLocalOperator, type Operator } from './operator.ts';

/** Runs a function with the accounts of the local database, and closes the database. */
export async function withLocalAccounts(
  { config, stderr }: { readonly config: Config; readonly stderr: { write(text: string): unknown } },
  mayCreate: boolean,
  work: (operator: Operator) => Promise<number>,
): Promise<number> {
  const db = await openLocalDatabase(config, { stderr, mayCreate });
  const logger = createLogger(config);
  const voiceOwner = { deleteAccount: (accountId: string) => library.deleteAccount(accountId) };
  const bookOwner = { deleteAccount: (accountId: string) => deleteAudiobooks(config, db, accountId) };
  const accounts = openAccounts(db, config, logger, [voiceOwner, bookOwner]);
  const library = openVoiceLibrary(db, config, { logger, audit: accounts.audit });
  try {
    const actor = { name: `cli:${userInfo().username}`, source: 'local' };
    return await work(createLocalOperator(accounts, actor));
  } finally {
    await accounts.close();
    await db.destroy();
  }
}
