import type { Message } from '../lib/i18n.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Button } from '../ui/button.tsx';
import { Table } from '../ui/layout.tsx';

const ELEMENTS: readonly { readonly markup: string; readonly effect: Message }[] = [
  { markup: '<break time="500ms"/>', effect: /* msg */ 'A pause' },
  { markup: '<prosody rate="slow" pitch="high">…</prosody>', effect: /* msg */ 'Rate, pitch and volume' },
  { markup: '<emphasis level="strong">…</emphasis>', effect: /* msg */ 'Emphasis' },
  { markup: '<phoneme ph="təˈmeɪtoʊ">tomato</phoneme>', effect: /* msg */ 'Pronunciation in IPA' },
  { markup: '<say-as interpret-as="date">2026-11-16</say-as>', effect: /* msg */ 'How a number is read' },
  { markup: '<sub alias="World Wide Web">WWW</sub>', effect: /* msg */ 'Other words for an abbreviation' },
  { markup: '<voice name="Emma">…</voice>', effect: /* msg */ 'Another voice' },
  { markup: '<lang xml:lang="fr">…</lang>', effect: /* msg */ 'Another language' },
];
const EXAMPLE =
  '<speak>Your code is <say-as interpret-as="characters">4071</say-as>. <break time="600ms"/> <prosody rate="slow">Keep it safe.</prosody></speak>';

/** The elements of SSML that change the delivery, and an example to start from. */
export function SsmlHelp({ onExample }: { readonly onExample: (text: string) => void }) {
  const t = useTranslate();
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted">{t('A text that is one <speak> element is read as SSML.')}</p>
        <Button isSmall icon="text" onClick={() => onExample(EXAMPLE)}>
          {t('Insert an example')}
        </Button>
      </div>
      <Table label="SSML" head={[t('Markup'), t('Effect')]}>
        {ELEMENTS.map(({ markup, effect }) => (
          <tr key={markup} className="tr-row">
            <td>
              <code className="text-xs break-all">{markup}</code>
            </td>
            <td className="text-muted">{t(effect)}</td>
          </tr>
        ))}
      </Table>
    </div>
  );
}
