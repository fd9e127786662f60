import { useMutation, useQuery } from '@tanstack/react-query';
import type { ManagedModel } from 'mynah';
import { mynah, queryClient } from '../lib/api.ts';
import { formatBytes, languageName } from '../lib/format.ts';
import type { Message } from '../lib/i18n.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Button } from '../ui/button.tsx';
import { Badge, type BadgeLook, NameCell, Table } from '../ui/layout.tsx';
import { ErrorState, QueryView } from '../ui/states.tsx';

const MODELS_KEY = ['admin', 'models'] as const;
const BUSY_POLL_MS = 1000;
const LANGUAGES_SHOWN = 3;

const STATES: Readonly<Record<ManagedModel['state'], { readonly label: Message; readonly look: BadgeLook }>> =
  {
    installed: { label: /* msg */ 'Installed', look: 'ok' },
    incomplete: { label: /* msg */ 'Incomplete', look: 'warn' },
    absent: { label: /* msg */ 'Not installed', look: 'neutral' },
  };

function isBusy({ job }: ManagedModel): boolean {
  return job?.state === 'waiting' || job?.state === 'running';
}

/** The models on disk: download, progress, verification. */
export function ModelsSection() {
  const t = useTranslate();
  const models = useQuery({
    queryKey: MODELS_KEY,
    queryFn: ({ signal }) => mynah.admin.listModels({ signal }),
    refetchInterval: ({ state }) => (state.data?.some(isBusy) ? BUSY_POLL_MS : false),
  });
  const start = useMutation({
    mutationFn: ({ id, kind }: { readonly id: string; readonly kind: 'pull' | 'verify' }) =>
      kind === 'pull' ? mynah.admin.pullModel(id) : mynah.admin.verifyModel(id),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: MODELS_KEY }),
  });
  return (
    <div className="space-y-4">
      <p className="text-muted">
        {t('Voices of a model that is downloaded here appear when the server is restarted.')}
      </p>
      {start.error && (
        <div className="mb-4">
          <ErrorState error={start.error} />
        </div>
      )}
      <QueryView query={models}>
        {(list) => (
          <Table
            label={t('Models')}
            head={[t('Name'), t('Languages'), t('Licence'), t('Size'), t('State'), '']}
          >
            {list.map((model) => (
              <tr key={model.id} className="tr-row">
                <NameCell name={model.title} id={model.id} />
                <td className="text-muted">
                  <Languages codes={model.languages} />
                </td>
                <td className="text-muted">{model.licence}</td>
                <td className="whitespace-nowrap tabular-nums">
                  {model.size_bytes === null ? '–' : formatBytes(model.size_bytes)}
                </td>
                <td>
                  <ModelState model={model} />
                </td>
                <td>
                  <span className="flex justify-end">
                    {model.state === 'installed' ? (
                      <Button
                        isSmall
                        look="quiet"
                        disabled={isBusy(model)}
                        onClick={() => start.mutate({ id: model.id, kind: 'verify' })}
                      >
                        {t('Verify')}
                      </Button>
                    ) : (
                      <Button
                        isSmall
                        icon="download"
                        disabled={isBusy(model)}
                        onClick={() => start.mutate({ id: model.id, kind: 'pull' })}
                      >
                        {t('Download')}
                      </Button>
                    )}
                  </span>
                </td>
              </tr>
            ))}
          </Table>
        )}
      </QueryView>
    </div>
  );
}

function Languages({ codes }: { readonly codes: readonly string[] }) {
  const names = codes.map(languageName);
  const rest = names.length - LANGUAGES_SHOWN;
  return (
    <span title={names.join(', ')}>
      {names.slice(0, LANGUAGES_SHOWN).join(', ')}
      {rest > 0 && ` +${rest}`}
    </span>
  );
}

/** The state on disk, or the progress of its job. */
function ModelState({ model }: { readonly model: ManagedModel }) {
  const t = useTranslate();
  const { job, state } = model;
  if (job && isBusy(model)) {
    const { received_bytes: received = 0, total_bytes: total } = job;
    const label = job.kind === 'pull' ? t('Download of {name}', { name: model.id }) : t('Verifying…');
    return (
      <span className="flex items-center gap-2">
        <progress
          aria-label={label}
          className="h-2 w-24 accent-[var(--accent)]"
          {...(total && { value: received, max: total })}
        />
        <span className="text-xs whitespace-nowrap text-muted tabular-nums">
          {job.kind === 'verify' ? t('Verifying…') : formatBytes(received)}
        </span>
      </span>
    );
  }
  const isIntact = job?.kind === 'verify' && job.state === 'finished' && job.problems.length === 0;
  return (
    <>
      <span className="flex flex-wrap gap-1">
        <Badge look={STATES[state].look}>{t(STATES[state].label)}</Badge>
        {isIntact && <Badge look="ok">{t('All files are intact')}</Badge>}
      </span>
      {job?.message && <p className="mt-1 text-xs break-words text-danger">{job.message}</p>}
      {job?.problems.map((problem) => (
        <p key={problem} className="mt-1 text-xs break-words text-danger">
          {problem}
        </p>
      ))}
    </>
  );
}
