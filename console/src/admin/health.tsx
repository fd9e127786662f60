import { useQuery } from '@tanstack/react-query';
import type { Health } from 'mynah';
import { mynah } from '../lib/api.ts';
import { formatBytes } from '../lib/format.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Badge, type BadgeLook, Stat, Table } from '../ui/layout.tsx';
import { EmptyState, QueryView } from '../ui/states.tsx';

const POLL_MS = 3000;

function lookOf(state: string): BadgeLook {
  if (state === 'ready' || state === 'ok') return 'ok';
  if (state === 'failed' || state === 'degraded') return 'danger';
  return state === 'absent' || state === 'stopped' ? 'neutral' : 'warn';
}

export function HealthSection() {
  const t = useTranslate();
  const health = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => mynah.getHealth({ signal }),
    refetchInterval: POLL_MS,
  });
  return (
    <QueryView query={health}>
      {(report) => (
        <div className="space-y-6">
          <div className="grid gap-4 sm:grid-cols-3">
            <Stat label={t('State')} value={report.status} />
            <Stat label={t('Version')} value={report.version} />
            <Stat
              label={t('Active requests')}
              value={String(report.workers.reduce((sum, { active = 0 }) => sum + active, 0))}
            />
          </div>
          <section>
            <h2 className="mb-2 font-semibold">{t('Worker processes')}</h2>
            {report.workers.length === 0 ? (
              <div className="card">
                <EmptyState icon="gear" title={t('No worker process is running')} />
              </div>
            ) : (
              <Table
                label={t('Worker processes')}
                head={[t('Process'), t('State'), t('Engines'), t('Active'), t('Restarts'), t('Memory')]}
              >
                {report.workers.map((worker) => (
                  <tr key={worker.id} className="tr-row">
                    <td className="font-medium">{worker.id}</td>
                    <td>
                      <Badge look={lookOf(worker.state)}>{worker.state}</Badge>
                    </td>
                    <td className="text-muted">{worker.engines?.join(', ') || '–'}</td>
                    <td className="tabular-nums">{worker.active ?? '–'}</td>
                    <td className="tabular-nums">{worker.restarts ?? '–'}</td>
                    <td className="whitespace-nowrap tabular-nums">
                      {worker.memory_mb === undefined ? '–' : formatBytes(worker.memory_mb * 1e6)}
                    </td>
                  </tr>
                ))}
              </Table>
            )}
          </section>
          <section>
            <h2 className="mb-2 font-semibold">{t('Models')}</h2>
            <Table label={t('Models')} head={[t('Name'), t('State'), t('Download')]}>
              {report.models.map((model) => (
                <tr key={model.id} className="tr-row">
                  <td className="font-medium">{model.id}</td>
                  <td>
                    <Badge look={lookOf(model.state)}>{model.state}</Badge>
                    {model.message && <p className="mt-1 text-xs break-words text-danger">{model.message}</p>}
                  </td>
                  <td>
                    <Download model={model} />
                  </td>
                </tr>
              ))}
            </Table>
          </section>
        </div>
      )}
    </QueryView>
  );
}

function Download({ model }: { readonly model: Health['models'][number] }) {
  const t = useTranslate();
  if (model.received_bytes === undefined) return '–';
  const { received_bytes: received, total_bytes: total } = model;
  return (
    <span className="flex items-center gap-2">
      <progress
        aria-label={t('Download of {name}', { name: model.id })}
        className="h-2 w-28 accent-[var(--accent)]"
        {...(total && { value: received, max: total })}
      />
      <span className="text-xs text-muted">{formatBytes(received)}</span>
    </span>
  );
}
