import { Link } from '@tanstack/react-router';
import { useTranslate } from '../lib/use-translate.ts';
import { EmptyState } from '../ui/states.tsx';

export function NotFoundPage() {
  const t = useTranslate();
  return (
    <main className="flex min-h-dvh items-center justify-center">
      <EmptyState isPage icon="search" title={t('This page does not exist')}>
        <Link to="/" className="text-accent underline">
          {t('Go to the playground')}
        </Link>
      </EmptyState>
    </main>
  );
}
