import type { Transport } from './net/transport.ts';
import type { CallOptions } from './types/index.ts';

/** A session of the web console. */
export interface Session {
  readonly id: string;
  /** The key that the session was opened with. */
  readonly key_id: string;
  /** Network address at login. */
  readonly source: string;
  readonly user_agent: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly last_used_at: string;
  readonly is_current: boolean;
}

/** The session, its account, and facts about the server. */
export interface ConsoleState {
  /** Null for a client with an API key. */
  readonly session: Session | null;
  readonly account: { readonly id: string; readonly name: string };
  readonly key: {
    readonly id: string;
    readonly name: string;
    readonly prefix: string;
    readonly scopes: readonly string[];
  };
  readonly billing: 'off' | 'prepaid';
  /** US dollars per million bytes of text, per hour of audio and per request, by service and model; `*`: other models. */
  readonly prices: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly default_model: string;
  readonly models: readonly string[];
  /** Whether new clones are refined automatically, or only with `train_mode: 'full'`. */
  readonly voice_refinement: 'automatic' | 'on_request';
  readonly limits: {
    readonly text_max_chars: number;
    readonly asr_upload_max_bytes: number;
    readonly asr_max_seconds: number;
    readonly voice_upload_max_bytes: number;
  };
  readonly version: string;
}

/** Sessions of the web console. `login` sets a cookie and is useful only in a browser, on a page of the server. */
export class Console {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Opens a session with an API key or with the token of a login link. */
  login(
    credentials: { readonly key: string } | { readonly link: string },
    options?: CallOptions,
  ): Promise<Session> {
    return this.#transport.json({ method: 'POST', path: '/v1/console/session', json: credentials }, options);
  }

  getState(options?: CallOptions): Promise<ConsoleState> {
    return this.#transport.json({ method: 'GET', path: '/v1/console/session' }, options);
  }

  async logout(options?: CallOptions): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: '/v1/console/session' }, options);
  }

  async listSessions(options?: CallOptions): Promise<readonly Session[]> {
    const call = { method: 'GET', path: '/v1/console/sessions' } as const;
    return (await this.#transport.json<{ items: Session[] }>(call, options)).items;
  }

  async revokeSession(id: string, options?: CallOptions): Promise<void> {
    const path = `/v1/console/sessions/${encodeURIComponent(id)}`;
    await this.#transport.json({ method: 'DELETE', path }, options);
  }
}
