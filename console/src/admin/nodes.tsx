import type { ServerStatus } from 'mynah';
import { formatDate } from '../lib/format.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Badge, type BadgeLook, Table } from '../ui/layout.tsx';

const LOOKS: Readonly<Record<ServerStatus['workers'][number]['state'], BadgeLook>> = {
  ready: 'ok',
  draining: 'warn',
  incompatible: 'danger',
};

/** The servers and remote workers of a cluster. Nothing for a single server. */
export function ClusterNodes({ status }: { readonly status: ServerStatus }) {
  const t = useTranslate();
  return (
    <>
      {status.gateways.length > 0 && (
        <section>
          <h2 className="mb-2 font-semibold">{t('Servers of the cluster')}</h2>
          <Table label={t('Servers of the cluster')} head={[t('Host'), t('Version'), t('Started')]}>
            {status.gateways.map((gateway) => (
              <tr key={gateway.id} className="tr-row">
                <td className="font-medium">
                  {gateway.host} {gateway.is_self && <Badge look="accent">{t('This server')}</Badge>}
                </td>
                <td>{gateway.version}</td>
                <td className="text-muted">{formatDate(gateway.started_at)}</td>
              </tr>
            ))}
          </Table>
        </section>
      )}
      {status.workers.length > 0 && (
        <section>
          <h2 className="mb-2 font-semibold">{t('Remote workers')}</h2>
          <Table label={t('Remote workers')} head={[t('Name'), t('State'), t('Version'), t('Work')]}>
            {status.workers.map((worker) => (
              <tr key={worker.id} className="tr-row">
                <td className="font-medium">{worker.id}</td>
                <td>
                  <Badge look={LOOKS[worker.state]}>{worker.state}</Badge>
                </td>
                <td>{worker.version}</td>
                <td className="text-muted">
                  {worker.work.map((work) => (
                    <span key={work.kind} className="block">
                      {work.kind}: {work.open_tasks}/{work.slots} {work.engines.join(', ')}
                    </span>
                  ))}
                </td>
              </tr>
            ))}
          </Table>
        </section>
      )}
    </>
  );
}
