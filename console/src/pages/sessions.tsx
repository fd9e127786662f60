import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Session } from 'mynah';
import { mynah, queryClient } from '../lib/api.ts';
import { formatDate } from '../lib/format.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Button } from '../ui/button.tsx';
import { Badge, PageHeader, Table } from '../ui/layout.tsx';
import { ErrorState, QueryView } from '../ui/states.tsx';

const SESSIONS_KEY = ['sessions'] as const;

/** A short name of the browser, such as `Firefox, Linux`. */
function browserName(agent: string): string {
  const browser = /(Edg|OPR|Firefox|Chrome|Safari)\//.exec(agent)?.[1];
  const system = /(Windows|Android|iPhone|iPad|Mac OS|Linux)/.exec(agent)?.[1];
  const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera' };
  return (
    [browser && (names[browser] ?? browser), system].filter(Boolean).join(', ') || agent.slice(0, 40) || '–'
  );
}

export function SessionsPage() {
  const t = useTranslate();
  const navigate = useNavigate();
  const sessions = useQuery({
    queryKey: SESSIONS_KEY,
    queryFn: ({ signal }) => mynah.console.listSessions({ signal }),
  });
  const revoke = useMutation({
    mutationFn: ({ id }: Session) => mynah.console.revokeSession(id),
    onSuccess: async (_, { is_current }) => {
      if (!is_current) return queryClient.invalidateQueries({ queryKey: SESSIONS_KEY });
      queryClient.clear();
      await navigate({ to: '/login' });
    },
  });
  return (
    <>
      <PageHeader title={t('Sessions')} text={t('Browsers that are logged in to this account.')} />
      {revoke.error && (
        <div className="mb-4">
          <ErrorState error={revoke.error} />
        </div>
      )}
      <QueryView query={sessions}>
        {(list) => (
          <Table label={t('Sessions')} head={[t('Browser'), t('Address'), t('Logged in'), t('Ends'), '']}>
            {list.map((session) => (
              <tr key={session.id} className="tr-row">
                <td className="font-medium whitespace-nowrap" title={session.user_agent}>
                  {browserName(session.user_agent)}
                  {session.is_current && (
                    <span className="ms-2">
                      <Badge look="accent">{t('This session')}</Badge>
                    </span>
                  )}
                </td>
                <td className="text-muted">{session.source}</td>
                <td className="whitespace-nowrap text-muted">{formatDate(session.created_at)}</td>
                <td className="whitespace-nowrap text-muted">{formatDate(session.expires_at)}</td>
                <td className="text-end">
                  <Button
                    isSmall
                    look="quiet"
                    isBusy={revoke.isPending}
                    onClick={() => revoke.mutate(session)}
                  >
                    {session.is_current ? t('Log out') : t('End')}
                  </Button>
                </td>
              </tr>
            ))}
          </Table>
        )}
      </QueryView>
    </>
  );
}
