import { useNavigate, useSearch } from '@tanstack/react-router';
import { ApiError } from 'mynah';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { CONSOLE_KEY, mynah, queryClient } from '../lib/api.ts';
import type { Translate } from '../lib/i18n.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { hasOwnPolicy } from '../shell/navigation.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { describeError } from '../ui/states.tsx';

function explain(error: unknown, t: Translate): string {
  if (error instanceof ApiError) {
    if (error.code === 'invalid_api_key') return t('This key is not valid.');
    if (error.code === 'invalid_login_link')
      return t(
        'This link was used before or has expired. Log in with a key, or restart the server for a new link.',
      );
    if (error.code === 'too_many_logins') return t('Too many failed logins. Try again in a few minutes.');
  }
  return describeError(error, t);
}

export function LoginPage() {
  const t = useTranslate();
  const navigate = useNavigate();
  const { next = '/', ended: hasEnded = false } = useSearch({ from: '/login' });
  const [key, setKey] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const hasUsedLink = useRef(false);

  const logIn = async (credentials: { key: string } | { link: string }) => {
    setIsBusy(true);
    setError(undefined);
    try {
      await mynah.console.login(credentials);
      await queryClient.resetQueries({ queryKey: CONSOLE_KEY });
      // The policy of this document would stay in force.
      if (hasOwnPolicy(next)) location.replace(next);
      else await navigate({ to: next, replace: true });
    } catch (problem) {
      setError(problem);
    } finally {
      setIsBusy(false);
    }
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: the link is used once, when the page opens
  useEffect(() => {
    const link = /^#link=([\w-]+)$/.exec(location.hash)?.[1];
    if (link === undefined || hasUsedLink.current) return;
    hasUsedLink.current = true;
    history.replaceState(history.state, '', location.pathname + location.search);
    void logIn({ link });
  }, []);

  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void logIn({ key: key.trim() });
  };

  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <div className="card w-full max-w-sm p-7">
        <img src="/icon.svg" alt="" width={44} height={44} />
        <h1 className="mt-4 text-xl font-semibold tracking-tight">{t('Log in to Mynah')}</h1>
        <p className="mt-1 text-muted">{t('Your voice server, in the browser.')}</p>
        <form onSubmit={onSubmit} className="mt-6 space-y-4">
          <TextField
            label={t('API key')}
            type="password"
            value={key}
            onChange={setKey}
            required
            autoComplete="current-password"
            placeholder="mynah_…"
            hint={t('The server wrote the first key to the file first-key in its data folder.')}
          />
          {error === undefined && hasEnded && (
            <p role="status" className="rounded-lg bg-warn-soft p-3 text-sm text-warn">
              {t('Your session has ended: it expired, or its key was revoked. Log in again.')}
            </p>
          )}
          {error !== undefined && (
            <p role="alert" className="rounded-lg bg-danger-soft p-3 text-sm text-danger">
              {explain(error, t)}
            </p>
          )}
          <Button type="submit" look="primary" isBusy={isBusy} className="w-full">
            {t('Log in')}
          </Button>
        </form>
      </div>
    </main>
  );
}
