import type { ConsoleState } from 'mynah';
import { formatUsd } from '../lib/format.ts';
import type { Message } from '../lib/i18n.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Badge, Table } from '../ui/layout.tsx';

const UNITS: Readonly<Record<string, Message>> = {
  tts: /* msg */ 'per million bytes of text',
  asr: /* msg */ 'per hour of audio',
  voice_design: /* msg */ 'per request',
};

export function PricesSection({ state }: { readonly state: ConsoleState }) {
  const t = useTranslate();
  const rows = Object.entries(state.prices).flatMap(([service, prices]) =>
    Object.entries(prices).map(([model, price]) => ({ service, model, price })),
  );
  return (
    <div className="space-y-4">
      <p className="flex flex-wrap items-center gap-2 text-muted">
        {t('Billing')}: <Badge look={state.billing === 'prepaid' ? 'ok' : 'neutral'}>{state.billing}</Badge>
        <span>{t('Prices are set with MYNAH_PRICES, billing with MYNAH_BILLING.')}</span>
      </p>
      <Table label={t('Prices')} head={[t('Service'), t('Model'), t('Price')]}>
        {rows.map(({ service, model, price }) => (
          <tr key={`${service} ${model}`} className="tr-row">
            <td>{service}</td>
            <td>{model === '*' ? t('All other models') : model}</td>
            <td className="tabular-nums">
              {formatUsd(price)} {UNITS[service] && t(UNITS[service])}
            </td>
          </tr>
        ))}
      </Table>
    </div>
  );
}
