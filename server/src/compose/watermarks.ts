import type { KeyStore } from '../domain/accounts/keys/key-store.ts';
import { Watermarks } from '../domain/speech/watermarks.ts';
import type { Database } from '../infrastructure/sql/database.ts';
import { sharedSecret } from '../infrastructure/sql/shared-secret.ts';

/** The watermarks of this installation: its secret, and the accounts whose speech carries a watermark. */
export async function openWatermarks(
  db: Database,
  accounts: Pick<KeyStore, 'findAccount'>,
): Promise<Watermarks> {
  return new Watermarks({
    secret: await sharedSecret(db, 'watermark'),
    findAccount: (id) => accounts.findAccount(id),
  });
}
