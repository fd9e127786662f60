import { Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { isLoggedOut, isOffline } from '../lib/api.ts';
import { hasScope, useConsole } from '../lib/use-console.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icons.tsx';
import { Toasts } from '../ui/toast.tsx';
import { ModelsLoading } from './models-loading.tsx';
import { NavLink } from './nav-link.tsx';
import { NAVIGATION, PHONE_BAR } from './navigation.ts';

const AccountMenu = lazy(() =>
  import('./account-menu.tsx').then((module) => ({ default: module.AccountMenu })),
);
const CommandPalette = lazy(() =>
  import('./command-palette.tsx').then((module) => ({ default: module.CommandPalette })),
);

/** The frame of every page: navigation, state of the connection, content. */
export function Shell() {
  const t = useTranslate();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const state = useConsole();
  const hadSession = state.data !== undefined;
  useEffect(() => {
    if (!isLoggedOut(state.error)) return;
    const search = { next: pathname, ...(hadSession && { ended: true }) };
    void navigate({ to: '/login', search, replace: true });
  }, [state.error, hadSession, navigate, pathname]);
  const isDisconnected = isOffline(state.failureReason) || isOffline(state.error);
  return (
    <div className="md:grid md:min-h-dvh md:grid-cols-[15rem_1fr]">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:start-2 focus:top-2 focus:z-50 focus:rounded-lg focus:bg-surface focus:px-4 focus:py-2"
      >
        {t('Skip to content')}
      </a>
      <Sidebar />
      <PhoneHeader />
      <div className="min-w-0">
        {isDisconnected && (
          <div role="status" className="bg-warn-soft px-4 py-2 text-center text-sm text-warn">
            {t('The server cannot be reached. Trying again…')}
          </div>
        )}
        <ModelsLoading />
        <main
          id="content"
          tabIndex={-1}
          className="mx-auto max-w-6xl px-4 pt-6 pb-28 outline-none md:px-8 md:py-10"
        >
          <Outlet />
        </main>
      </div>
      <PhoneBar />
      <Suspense>
        <CommandPalette />
      </Suspense>
      <Toasts />
    </div>
  );
}

function Brand() {
  return (
    <span className="flex items-center gap-2.5 text-lg font-semibold tracking-tight">
      <img src="/icon.svg" alt="" width={28} height={28} />
      Mynah
    </span>
  );
}

function useVisibleNavigation() {
  const { data } = useConsole();
  return NAVIGATION.map(({ title, items }) => ({
    title,
    items: items.filter(({ scope }) => scope === undefined || hasScope(data, scope)),
  }));
}

function Sidebar() {
  const t = useTranslate();
  const groups = useVisibleNavigation();
  return (
    <aside className="sticky top-0 hidden h-dvh flex-col border-e border-line bg-surface md:flex">
      <div className="px-5 pt-6 pb-4">
        <Brand />
      </div>
      <nav aria-label={t('Main')} className="flex-1 space-y-5 overflow-y-auto px-3">
        {groups.map(({ title, items }) => (
          <div key={title}>
            <div className="px-2.5 pb-1 text-xs font-medium text-muted">{t(title)}</div>
            {items.map((item) => (
              <NavLink
                key={item.to}
                item={item}
                className="flex min-h-9 items-center gap-2.5 rounded-[9px] px-2.5 text-muted hover:bg-sunken hover:text-ink aria-[current]:bg-accent-soft aria-[current]:font-medium aria-[current]:text-accent"
              >
                <Icon name={item.icon} />
                {t(item.label)}
              </NavLink>
            ))}
          </div>
        ))}
      </nav>
      <div className="border-t border-line p-3">
        <Suspense fallback={<div className="h-10" />}>
          <AccountMenu />
        </Suspense>
      </div>
    </aside>
  );
}

function PhoneHeader() {
  return (
    <header className="sticky top-0 z-20 flex items-center justify-between border-b border-line bg-surface px-4 py-2.5 md:hidden">
      <Brand />
      <Suspense fallback={<div className="h-10" />}>
        <AccountMenu isCompact />
      </Suspense>
    </header>
  );
}

function PhoneBar() {
  const t = useTranslate();
  const [isOpen, setIsOpen] = useState(false);
  const groups = useVisibleNavigation();
  const items = groups.flatMap((group) => group.items);
  const shown = PHONE_BAR.flatMap((to) => items.filter((item) => item.to === to));
  const style =
    'flex min-h-14 flex-col items-center justify-center gap-0.5 text-xs text-muted aria-[current]:text-accent aria-[current]:font-medium';
  return (
    <>
      <nav
        aria-label={t('Main')}
        className="fixed inset-x-0 bottom-0 z-30 grid grid-cols-5 border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
      >
        {shown.map((item) => (
          <NavLink key={item.to} item={item} className={style}>
            <Icon name={item.icon} size={20} />
            <span className="max-w-full truncate px-0.5">{t(item.label)}</span>
          </NavLink>
        ))}
        <button type="button" className={style} onClick={() => setIsOpen(true)}>
          <Icon name="more" size={20} />
          {t('More')}
        </button>
      </nav>
      <Dialog title={t('More')} isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <div className="grid gap-1">
          {items
            .filter((item) => !shown.includes(item))
            .map((item) => (
              <NavLink
                key={item.to}
                item={item}
                onClick={() => setIsOpen(false)}
                className="flex min-h-11 items-center gap-3 rounded-lg px-2 hover:bg-sunken aria-[current]:text-accent"
              >
                <Icon name={item.icon} />
                {t(item.label)}
              </NavLink>
            ))}
        </div>
      </Dialog>
    </>
  );
}
