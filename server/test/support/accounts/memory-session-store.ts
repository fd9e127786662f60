import type { SessionStore, StoredSession } from '../../../src/domain/accounts/sessions/session-store.ts';

/** A session store in memory. */
export class MemorySessionStore implements SessionStore {
  readonly sessions = new Map<string, StoredSession>();

  async add(session: StoredSession): Promise<void> {
    this.sessions.set(session.id, session);
  }

  async findByHash(hash: string): Promise<StoredSession | undefined> {
    return [...this.sessions.values()].find(
      ({ tokenHash, previousHash }) => tokenHash === hash || previousHash === hash,
    );
  }

  async replaceToken(id: string, change: { expectedHash: string; tokenHash: string; atMs: number }) {
    const session = this.sessions.get(id);
    if (session?.tokenHash !== change.expectedHash) return false;
    this.sessions.set(id, {
      ...session,
      tokenHash: change.tokenHash,
      tokenCreatedAtMs: change.atMs,
      previousHash: change.expectedHash,
    });
    return true;
  }

  async recordUse(id: string, atMs: number): Promise<void> {
    const session = this.sessions.get(id);
    if (session) this.sessions.set(id, { ...session, lastUsedAtMs: atMs });
  }

  async list(accountId: string, nowMs: number): Promise<readonly StoredSession[]> {
    return [...this.sessions.values()]
      .filter((session) => session.accountId === accountId && session.expiresAtMs > nowMs)
      .sort((a, b) => b.createdAtMs - a.createdAtMs);
  }

  async delete(id: string, accountId: string): Promise<boolean> {
    return this.sessions.get(id)?.accountId === accountId && this.sessions.delete(id);
  }

  async deleteExpired(nowMs: number): Promise<void> {
    for (const { id, expiresAtMs } of this.sessions.values()) {
      if (expiresAtMs <= nowMs) this.sessions.delete(id);
    }
  }
}
