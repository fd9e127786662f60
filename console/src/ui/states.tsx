import { ApiError } from 'mynah';
import type { ReactNode } from 'react';
import { isOffline } from '../lib/api.ts';
import type { Translate } from '../lib/i18n.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icons.tsx';
import { PageHeader } from './layout.tsx';

/** The reason of a failure, for the user. */
export function describeError(error: unknown, t: Translate): string {
  if (isOffline(error)) return t('The server cannot be reached. Check that it is running.');
  if (error instanceof ApiError) {
    if (error.code === 'insufficient_balance') return t('The account has too little credit.');
    if (error.code === 'insufficient_scope') return t('Your key does not have the scope for this.');
    if (error.code === 'rate_limited') return t('Too many requests. Try again in a moment.');
  }
  return error instanceof Error ? error.message : String(error);
}

export function ErrorState({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const t = useTranslate();
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return (
    <div
      role="alert"
      className="flex items-start gap-3 rounded-xl border border-line bg-danger-soft p-4 text-danger"
    >
      <Icon name="warning" size={20} />
      <div className="min-w-0 flex-1">
        <p className="break-words">{describeError(error, t)}</p>
        {requestId && <p className="mt-1 font-mono text-xs break-all opacity-90">{requestId}</p>}
      </div>
      {onRetry && (
        <Button isSmall onClick={onRetry}>
          {t('Try again')}
        </Button>
      )}
    </div>
  );
}

export function EmptyState({
  icon,
  title,
  isPage = false,
  children,
}: {
  readonly icon: IconName;
  readonly title: string;
  /** The page has nothing else, so the title is its heading. */
  readonly isPage?: boolean;
  readonly children?: ReactNode;
}) {
  const Title = isPage ? 'h1' : 'p';
  return (
    <div className="flex flex-col items-center px-6 py-12 text-center">
      <div className="mb-3 flex size-12 items-center justify-center rounded-full bg-accent-soft text-accent">
        <Icon name={icon} size={22} />
      </div>
      <Title className="font-medium">{title}</Title>
      <div className="mt-1 max-w-md text-muted">{children}</div>
    </div>
  );
}

export function Loading({ rows = 4 }: { readonly rows?: number }) {
  const t = useTranslate();
  return (
    <div role="status" aria-label={t('Loading')} className="space-y-3">
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <div key={index} className="skeleton h-12" />
      ))}
    </div>
  );
}

/** The states of a query: loading, failed, and its data. */
export function QueryView<T>({
  query,
  title,
  children,
}: {
  readonly query: {
    readonly data: T | undefined;
    readonly error: unknown;
    readonly failureReason: unknown;
    readonly refetch: () => unknown;
  };
  /** The heading of the page until there are data that bring their own. */
  readonly title?: string;
  readonly children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  const error = query.error ?? query.failureReason;
  return (
    <>
      {title && <PageHeader title={title} />}
      {error ? <ErrorState error={error} onRetry={() => void query.refetch()} /> : <Loading />}
    </>
  );
}
