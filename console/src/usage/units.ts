import type { UsageItem } from 'mynah';
import { formatNumber } from '../lib/format.ts';
import type { Translate } from '../lib/i18n.ts';

/** A number of units with their name. */
export function unitsOf({ service, units }: Pick<UsageItem, 'service' | 'units'>, t: Translate): string {
  const count = formatNumber(units);
  if (service === 'tts') return t('{count} bytes of text', { count });
  if (service === 'asr') return t('{count} seconds of audio', { count });
  return t('{count} requests', { count });
}
