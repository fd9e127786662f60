/** A deviation that Schemathesis reports: a check that failed for an operation. */
export interface Deviation {
  /** For example `POST /v1/tts`, or `Stateful tests`. */
  readonly operation: string;
  /** Code of the check, for example `ST202`. */
  readonly check: string;
  /** The report of the deviation. */
  readonly text: string;
}

interface AcceptedDeviation {
  readonly check: string;
  readonly pattern: RegExp;
  readonly reason: string;
}

/** Deviations that are no defects. Everything else that Schemathesis reports is a finding. */
const ACCEPTED: readonly AcceptedDeviation[] = [
  {
    check: 'ST202',
    pattern: /give either page or cursor|cursor is not valid/,
    reason: 'OpenAPI does not express relations of query parameters; a cursor is opaque.',
  },
  {
    check: 'ST202',
    pattern: /excludes `min_speakers`|cannot be given with `diarize` false|`min_speakers`/,
    reason: 'A relation of form fields.',
  },
  {
    check: 'ST202',
    pattern: /give the list as `rules`/,
    reason: '`rules` and `items` are names of the same list.',
  },
  {
    check: 'ST202',
    pattern: /phonemes of item/,
    reason: 'The schema does not contain the phoneme alphabets.',
  },
  {
    check: 'ST202',
    pattern:
      /not audio|audio is empty|expected a file|must be a PNG|<BINARY>|voices is missing|mix cannot be sent/,
    reason: 'The schema does not describe the content of files; forms are generated without their files.',
  },
  {
    check: 'ST202',
    pattern: /invalid type for `mix\.\d+`: got a string, expected an object/,
    reason:
      'A form has no objects: Schemathesis sends their keys. The description says that a form takes JSON text.',
  },
  {
    check: 'ST202',
    pattern: /language is not supported/,
    reason: 'The schema does not list languages: codes with regions and names are accepted too.',
  },
  {
    check: 'ST202',
    pattern: /nothing to speak|no speakable/i,
    reason: 'The schema does not say which texts can be spoken.',
  },
  {
    check: 'ST101',
    pattern: /\[503\] Service Unavailable/,
    reason: 'Documented with `Retry-After` for a busy server; other server errors are findings.',
  },
  {
    check: 'ST201',
    pattern: /\[413\]/,
    reason: 'A refusal: Schemathesis does not count 413 as one.',
  },
  {
    check: 'ST201',
    pattern: /Missing request body[\s\S]*\[200\]/,
    reason: 'A PATCH without a body changes nothing.',
  },
  {
    check: 'ST108',
    pattern: /SSE event/,
    reason: 'OpenAPI 3.1 has no schema for events; the schema describes the JSON in `data`.',
  },
  {
    check: 'ST112',
    pattern: /voice-design|references|\/model/,
    reason: 'Voice design and cloning take seconds of CPU time; their time limit is a setting.',
  },
];

/** Reads the deviations of the report that Schemathesis prints. */
export function parseDeviations(output: string): Deviation[] {
  return output
    .split(/\n(?=_{3,} .+ _{3,}\n)/)
    .slice(1)
    .flatMap((section) => {
      const operation = section.split('\n')[0]!.replaceAll(/^_+ | _+$/g, '');
      const cases = section.split(/\n(?=\d+\. Test Case ID)/).slice(1);
      return cases.flatMap((text) =>
        [...text.matchAll(/^- (ST\d+) /gm)].map(([, check]) => ({ operation, check: check!, text })),
      );
    });
}

/** The reason why a deviation is accepted; undefined for a defect. */
export function acceptedReason({ operation, check, text }: Deviation): string | undefined {
  const described = `${operation}\n${text}`;
  return ACCEPTED.find((accepted) => accepted.check === check && accepted.pattern.test(described))?.reason;
}
