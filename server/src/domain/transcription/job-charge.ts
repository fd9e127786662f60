import type { Billing } from '../accounts/metering/billing.ts';
import { TranscriptionCharge } from '../accounts/metering/transcription-charge.ts';
import type { ClaimedJob } from './job-store.ts';

/**
 * Opens the charge of a job for its current owner. Earlier owners may have been charged for the audio that they
 * transcribed; their amounts are deducted. Only the owner of the lease is charged.
 */
export function openJobCharge(
  billing: Pick<Billing, 'openCharge'>,
  { id, caller, options: { model }, lease }: Pick<ClaimedJob, 'id' | 'caller' | 'options' | 'lease'>,
): Promise<TranscriptionCharge> {
  const earlier = Array.from({ length: lease.claim - 1 }, (_, index) => `${id}:${index + 1}`);
  return TranscriptionCharge.open(billing, caller, {
    id: `${id}:${lease.claim}`,
    // Earlier versions charged a job under its plain id.
    earlierIds: [id, ...earlier],
    lease,
    model,
  });
}
