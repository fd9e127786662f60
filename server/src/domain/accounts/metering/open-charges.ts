import type { Caller } from '../caller.ts';
import type { Billing, Charge, ChargeRequest } from './billing.ts';

/** A request that is charged for several services. */
export interface CombinedChargeRequest extends ChargeRequest {
  /** Services that are charged in full when any unit of the request is delivered. */
  readonly additional?: readonly Pick<ChargeRequest, 'service' | 'model' | 'units'>[] | undefined;
}

/** A charge for several services. */
export interface CombinedCharge extends Charge {
  /** Sets the units of the first additional service, and holds their price. Throws like `openCharge`. */
  extendAdditional(units: number): Promise<void>;
  /** Sets the units of the first additional service that are charged, in place of those of the request. */
  deliverAdditional(units: number): void;
}

/** Holds the price of all services of a request. Throws like `openCharge`, and holds nothing then. */
export async function openCharges(
  billing: Pick<Billing, 'openCharge'>,
  caller: Caller,
  { additional = [], ...request }: CombinedChargeRequest,
): Promise<CombinedCharge> {
  const main = await billing.openCharge(caller, request);
  const others: { readonly charge: Charge; units: number }[] = [];
  try {
    for (const [index, service] of additional.entries()) {
      const charge = await billing.openCharge(caller, { ...request, ...service, ...idsOf(request, index) });
      others.push({ charge, units: service.units });
    }
  } catch (error) {
    for (const { charge } of [{ charge: main }, ...others]) await charge.settle(0);
    throw error;
  }
  return {
    get priceNano() {
      return others.reduce((sum, { charge }) => sum + charge.priceNano, main.priceNano);
    },
    dueNano: (units) =>
      others.reduce(
        (sum, other) => sum + (units > 0 ? other.charge.dueNano(other.units) : 0),
        main.dueNano(units),
      ),
    extend: (units) => main.extend(units),
    extendAdditional: async (units) => {
      const [first] = others;
      await first?.charge.extend(units);
      if (first !== undefined) first.units = Math.max(first.units, units);
    },
    deliverAdditional: (units) => {
      if (others[0] !== undefined) others[0].units = units;
    },
    settle: async (deliveredUnits, voice) => {
      let chargedNano = await main.settle(deliveredUnits, voice);
      for (const { charge, units } of others) {
        chargedNano += await charge.settle(deliveredUnits > 0 ? units : 0, voice);
      }
      return chargedNano;
    },
  };
}

/** The ids of an additional charge, derived from those of the request. */
function idsOf({ id, earlierIds }: ChargeRequest, index: number): Pick<ChargeRequest, 'id' | 'earlierIds'> {
  const derive = (chargeId: string) => `${chargeId}_additional_${index + 1}`;
  return {
    ...(id !== undefined && { id: derive(id) }),
    ...(earlierIds !== undefined && { earlierIds: earlierIds.map(derive) }),
  };
}
