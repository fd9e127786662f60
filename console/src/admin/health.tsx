import { useQuery } from '@tanstack/react-query';
import type { Health, ServerStatus } from 'mynah';
import { mynah } from '../lib/api.ts';
import { formatBytes, formatNumber, formatPercent } from '../lib/format.ts';
import type { Message } from '../lib/i18n.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Badge, type BadgeLook, Stat, Table } from '../ui/layout.tsx';
import { EmptyState, QueryView } from '../ui/states.tsx';
import { ClusterNodes } from './nodes.tsx';

const POLL_MS = 3000;
const STATES: Readonly<Record<Health['status'], Message>> = {
  ok: /* msg */ 'Ready',
  loading: /* msg */ 'Loading',
  degraded: /* msg */ 'Degraded',
};

function lookOf(state: string): BadgeLook {
  if (state === 'ready' || state === 'ok') return 'ok';
  if (state === 'failed' || state === 'degraded') return 'danger';
  return state === 'absent' || state === 'stopped' ? 'neutral' : 'warn';
}

export function HealthSection() {
  const health = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => mynah.getHealth({ signal }),
    refetchInterval: POLL_MS,
  });
  const status = useQuery({
    queryKey: ['admin', 'status'],
    queryFn: ({ signal }) => mynah.admin.getStatus({ signal }),
    refetchInterval: POLL_MS,
  });
  return (
    <QueryView query={health}>
      {(report) => (
        <div className="space-y-6">
          <QueryView query={status}>{(current) => <Load report={report} status={current} />}</QueryView>
          <WorkerTable workers={report.workers} />
          {status.data && <ClusterNodes status={status.data} />}
          <ModelTable models={report.models} />
        </div>
      )}
    </QueryView>
  );
}

function Load({ report, status }: { readonly report: Health; readonly status: ServerStatus }) {
  const t = useTranslate();
  const { load, queues } = status;
  return (
    <div className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
      <Stat
        label={t('State')}
        value={t(STATES[report.status])}
        hint={t('Version {version}', { version: report.version })}
      />
      <Stat
        label={t('Speech streams')}
        value={formatNumber(load.streams)}
        hint={t('{percent} of the capacity', { percent: formatPercent(load.utilisation) })}
      />
      <Stat label={t('Transcriptions')} value={formatNumber(load.transcriptions)} />
      <Stat
        label={t('Queue')}
        value={formatNumber(queues.capacity + queues.first_audio + queues.admission)}
        hint={t('{capacity} for capacity, {first} for first audio, {account} for their account', {
          capacity: queues.capacity,
          first: queues.first_audio,
          account: queues.admission,
        })}
      />
    </div>
  );
}

function WorkerTable({ workers }: Pick<Health, 'workers'>) {
  const t = useTranslate();
  return (
    <section>
      <h2 className="mb-2 font-semibold">{t('Worker processes')}</h2>
      {workers.length === 0 ? (
        <div className="card">
          <EmptyState icon="gear" title={t('No worker process is running')} />
        </div>
      ) : (
        <Table
          label={t('Worker processes')}
          head={[t('Process'), t('State'), t('Engines'), t('Active'), t('Restarts'), t('Memory')]}
        >
          {workers.map((worker) => (
            <tr key={worker.id} className="tr-row">
              <td className="font-medium">{worker.id}</td>
              <td>
                <Badge look={lookOf(worker.state)}>{worker.state}</Badge>
              </td>
              <td className="text-muted">{worker.engines?.join(', ') || '–'}</td>
              <td className="tabular-nums">{worker.active ?? '–'}</td>
              <td className="tabular-nums">{worker.restarts ?? '–'}</td>
              <td className="whitespace-nowrap tabular-nums">
                {worker.memory_mb === undefined ? '–' : formatBytes(worker.memory_mb * 2 ** 20)}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

function ModelTable({ models }: Pick<Health, 'models'>) {
  const t = useTranslate();
  return (
    <section>
      <h2 className="mb-2 font-semibold">{t('Models in use')}</h2>
      <Table label={t('Models in use')} head={[t('Name'), t('State'), t('Download')]}>
        {models.map((model) => (
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
