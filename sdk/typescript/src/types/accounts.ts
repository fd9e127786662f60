export interface Credit {
  /** Its id. */
  readonly _id: string;
  /** The account. */
  readonly user_id: string;
  /** US dollars, as a decimal string. */
  readonly credit: string;
  /** ISO 8601. */
  readonly created_at: string;
  /** ISO 8601. */
  readonly updated_at: string;
  /** For compatibility with Fish Audio. */
  readonly has_phone_sha256: boolean;
  /** For compatibility with Fish Audio. */
  readonly has_free_credit?: boolean | null;
}

export interface Package {
  /** Its id. */
  readonly _id: string;
  /** The account. */
  readonly user_id: string;
  /** Name of the plan. */
  readonly type: string;
  /** Units of the plan. */
  readonly total: number;
  /** Units left. */
  readonly balance: number;
  /** ISO 8601. */
  readonly created_at: string;
  /** ISO 8601. */
  readonly updated_at: string;
  /** End of the plan. */
  readonly finished_at: string;
}

/** The period and grouping of a usage report. Days are `YYYY-MM-DD`; `to` is exclusive. */
export interface UsageQuery {
  /** First day. */
  readonly from?: string;
  /** The day after the last. */
  readonly to?: string;
  /** Grouping, such as `day,model`. */
  readonly by?: string;
}

export interface Usage {
  /** First day. */
  readonly from: string;
  /** The day after the last. */
  readonly to: string;
  /** One item per service and group. */
  readonly items: readonly UsageItem[];
  /** US dollars, as a decimal string. */
  readonly cost: string;
}

/** Usage of one service within a group. */
export interface UsageItem {
  /** `tts` in bytes, `asr` in seconds, `voice_design` in requests. */
  readonly service: string;
  /** Day, with `by=day`. */
  readonly day?: string | undefined;
  /** The account. */
  readonly account?: string | undefined;
  /** The id of the key. */
  readonly key?: string | undefined;
  /** The wire model; the server has a default. */
  readonly model?: string | undefined;
  /** The voice. */
  readonly voice?: string | undefined;
  /** Number of requests. */
  readonly requests: number;
  /** Bytes of text, seconds of audio, or requests. */
  readonly units: number;
  /** US dollars, as a decimal string. */
  readonly cost: string;
}
