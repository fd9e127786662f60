/** State of the server. */
export interface Health {
  /** `loading`: not ready yet. `degraded`: a component is down; `ready` tells whether requests are served. */
  readonly status: 'ok' | 'loading' | 'degraded';
  /** The process runs. */
  readonly live: boolean;
  /** Whether the server can synthesize now. */
  readonly ready: boolean;
  /** Version of the server. */
  readonly version: string;
  /** Models that the server needs. */
  readonly models: readonly {
    /** Its id. */
    readonly id: string;
    /** Its state. */
    readonly state: string;
    /** Bytes fetched so far. */
    readonly received_bytes?: number;
    /** Bytes to fetch. */
    readonly total_bytes?: number;
    /** What went wrong. */
    readonly message?: string;
  }[];
  /** Worker processes. */
  readonly workers: readonly {
    /** Its id. */
    readonly id: string;
    /** Its state. */
    readonly state: string;
    /** Loaded engines. */
    readonly engines?: readonly string[];
    /** Running requests. */
    readonly active?: number;
    /** Restarts since the start of the server. */
    readonly restarts?: number;
    /** Memory in MB. */
    readonly memory_mb?: number;
  }[];
}
