import type { Caller } from '../caller.ts';
import type { Billing } from './billing.ts';

/**
 * Takes the price of sound that was heard. Its length is known only afterwards, so nothing is held before: an
 * account without credit is refused at the door, and a recording that fails costs nothing. With an id it is
 * charged once, however often it is tried. Returns the price.
 */
export async function chargeTranscription(
  till: Pick<Billing, 'open'>,
  caller: Caller,
  heard: { readonly id?: string; readonly model: string; readonly seconds: number },
): Promise<number> {
  const units = Math.ceil(heard.seconds);
  const sale = await till.open(caller, {
    service: 'asr',
    model: heard.model,
    units,
    ...(heard.id !== undefined && { id: heard.id }),
  });
  await sale.settle(units);
  return sale.priceNano;
}
