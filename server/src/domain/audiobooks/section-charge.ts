import type { Billing, Charge } from '../accounts/metering/billing.ts';
import type { ClaimedAudiobook } from './audiobook-job.ts';

/** Earlier owners whose charges are deducted. A section fails the job long before so many owners have tried it. */
const EARLIER_OWNERS_MAX = 100;

/**
 * Opens the charge of a section for its current owner. An earlier owner may have been charged for it before it could
 * store its audio; that amount is deducted. Only the owner of the lease is charged.
 */
export function openSectionCharge(
  billing: Pick<Billing, 'openCharge'>,
  { id, caller, options: { model }, lease }: Pick<ClaimedAudiobook, 'id' | 'caller' | 'options' | 'lease'>,
  section: { readonly index: number; readonly units: number },
): Promise<Charge> {
  const idOf = (claim: number) => `${id}:${section.index}:${claim}`;
  const count = Math.min(lease.claim - 1, EARLIER_OWNERS_MAX);
  return billing.openCharge(caller, {
    service: 'tts',
    model,
    units: section.units,
    id: idOf(lease.claim),
    earlierIds: Array.from({ length: count }, (_, index) => idOf(lease.claim - 1 - index)),
    lease,
  });
}
