import { useQuery } from '@tanstack/react-query';
import { download } from '../audio/wav.ts';
import { mynah } from '../lib/api.ts';
import { formatDate } from '../lib/format.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Button } from '../ui/button.tsx';
import { Table } from '../ui/layout.tsx';
import { EmptyState, QueryView } from '../ui/states.tsx';

interface AuditLine {
  readonly id?: string;
  readonly at?: string;
  readonly actor?: string;
  readonly source?: string;
  readonly action?: string;
  readonly target?: string;
}

const SHOWN_MAX = 200;
const DAYS = 30;

function parse(text: string): readonly AuditLine[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines
    .slice(-SHOWN_MAX)
    .reverse()
    .map((line) => JSON.parse(line) as AuditLine);
}

export function AuditSection() {
  const t = useTranslate();
  const from = new Date(Date.now() - DAYS * 86_400_000).toISOString().slice(0, 10);
  const audit = useQuery({
    queryKey: ['audit', from],
    queryFn: ({ signal }) => mynah.admin.getAudit({ from }, { signal }),
    staleTime: 0,
  });
  const save = async () =>
    download(
      new Blob([await mynah.admin.getAudit({ from, format: 'csv' })], { type: 'text/csv' }),
      'audit.csv',
    );
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted">{t('The last {count} days, newest first.', { count: DAYS })}</p>
        <Button icon="download" onClick={() => void save()}>
          CSV
        </Button>
      </div>
      <QueryView query={audit}>
        {(text) => {
          const lines = parse(text);
          if (lines.length === 0) return <EmptyState icon="shield" title={t('Nothing was recorded')} />;
          return (
            <Table
              label={t('Audit log')}
              head={[t('Time'), t('Action'), t('Target'), t('Actor'), t('Address')]}
            >
              {lines.map((line, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: lines keep their places
                <tr key={index} className="tr-row">
                  <td className="whitespace-nowrap text-muted">{line.at && formatDate(line.at)}</td>
                  <td className="font-medium whitespace-nowrap">{line.action}</td>
                  <td>
                    <code className="text-xs break-all">{line.target}</code>
                  </td>
                  <td>
                    <code className="text-xs break-all">{line.actor}</code>
                  </td>
                  <td className="text-muted">{line.source}</td>
                </tr>
              ))}
            </Table>
          );
        }}
      </QueryView>
    </>
  );
}
