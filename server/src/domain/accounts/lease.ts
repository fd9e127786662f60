/**
 * The lease of an owner on work that another process takes over when the owner dies or stalls. A write with a lease
 * takes effect only while the owner holds it.
 */
export type Lease =
  | {
      /** A transcription job, or an audiobook job. */
      readonly kind: 'job' | 'audiobook';
      readonly id: string;
      /** Increases with each claim of the job. */
      readonly claim: number;
    }
  | {
      readonly kind: 'request';
      readonly accountId: string;
      /** The idempotency key. */
      readonly key: string;
      /** Random for each attempt. */
      readonly token: string;
    };
