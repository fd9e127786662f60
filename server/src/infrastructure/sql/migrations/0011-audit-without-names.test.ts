import assert from 'node:assert/strict';
import type { Kysely } from 'kysely';
import { testOnEachDatabase } from '../../../../test/support/sql/databases.ts';
import { SqlAuditLog } from '../sql-audit-log.ts';
import { up } from './0011-audit-without-names.ts';

testOnEachDatabase(
  'names and consent statements are removed from the audit log, which stays append-only',
  async (db) => {
    const audit = new SqlAuditLog(db);
    const actor = { name: 'cli:ada', source: 'local' };
    const record = (action: 'account.create' | 'key.create' | 'voice.create' | 'key.rotate', facts: object) =>
      audit.record({ actor, action, accountId: 'acc_1', target: action, facts: { ...facts } });
    await record('account.create', { name: 'Ada' });
    await record('key.create', { prefix: 'mynah_a', name: 'laptop', scopes: ['tts'] });
    await record('voice.create', { consentStatement: 'mine', recordings: 1 });
    await record('key.rotate', { prefix: 'mynah_a', successor: 'key_2' });
    // The migration needs no types of the tables.
    await up(db as unknown as Kysely<unknown>);
    const facts = new Map<string, unknown>();
    for await (const event of audit.read({ fromMs: 0, toMs: Date.now() + 1 }))
      facts.set(event.target, event.facts);
    assert.deepEqual(Object.fromEntries(facts), {
      'account.create': {},
      'key.create': { prefix: 'mynah_a', scopes: ['tts'] },
      'voice.create': { recordings: 1 },
      'key.rotate': { prefix: 'mynah_a', successor: 'key_2' },
    });
    await assert.rejects(db.updateTable('audit_event').set({ facts: '{}' }).execute());
    await assert.rejects(db.deleteFrom('audit_event').execute());
  },
);
