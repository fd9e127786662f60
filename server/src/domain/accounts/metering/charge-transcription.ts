import type { Caller } from '../caller.ts';
import type { Billing } from './billing.ts';

/**
 * Charges transcribed audio. The duration is known only after the transcription, so there is no hold before it; a
 * failed transcription is free. With an id, repeated calls charge once. Returns the price.
 */
export async function chargeTranscription(
  billing: Pick<Billing, 'openCharge'>,
  caller: Caller,
  { id, model, seconds }: { readonly id?: string; readonly model: string; readonly seconds: number },
): Promise<number> {
  const units = Math.ceil(seconds);
  const charge = await billing.openCharge(caller, {
    service: 'asr',
    model,
    units,
    ...(id !== undefined && { id }),
  });
  await charge.settle(units);
  return charge.priceNano;
}
