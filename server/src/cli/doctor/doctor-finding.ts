/** The result of one check. The names of the fields are part of `--json`. */
export interface Finding {
  readonly what: string;
  /** `warning`: the server works with restrictions. */
  readonly state: 'ok' | 'warning' | 'problem';
  readonly found: string;
  /** How to solve the problem. */
  readonly fix?: string;
}
