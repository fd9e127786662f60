import { i18n } from '@lingui/core';
import { useNavigate } from '@tanstack/react-router';
import { DropdownMenu } from 'radix-ui';
import { mynah, queryClient } from '../lib/api.ts';
import { chooseLocale, LOCALES, type Locale } from '../lib/i18n.ts';
import { chooseTheme, useTheme } from '../lib/theme.ts';
import { useConsole } from '../lib/use-console.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Icon } from '../ui/icons.tsx';

const ITEM =
  'flex min-h-9 cursor-default items-center gap-2.5 rounded-lg px-2.5 text-sm outline-none data-[highlighted]:bg-sunken';

/** The account, the theme, the language and the way out. */
export function AccountMenu({ isCompact = false }: { readonly isCompact?: boolean }) {
  const t = useTranslate();
  const theme = useTheme();
  const navigate = useNavigate();
  const { data } = useConsole();
  const logOut = async () => {
    await mynah.console.logout().catch(() => {});
    queryClient.clear();
    await navigate({ to: '/login' });
  };
  const other = theme === 'dark' ? 'light' : 'dark';
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        className={`flex min-h-10 items-center ${isCompact ? '' : 'w-full'} gap-2.5 rounded-[9px] px-2 text-start hover:bg-sunken`}
      >
        <span
          aria-hidden="true"
          className="flex size-7 items-center justify-center rounded-full bg-accent-soft text-sm font-semibold text-accent uppercase"
        >
          {data?.account.name.slice(0, 1) ?? '·'}
        </span>
        {!isCompact && (
          <span className="min-w-0 flex-1 truncate text-sm">{data?.account.name ?? t('Loading')}</span>
        )}
        {!isCompact && <Icon name="down" size={16} />}
        <span className="sr-only">{t('Account and settings')}</span>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={isCompact ? 'end' : 'start'}
          sideOffset={6}
          className="z-40 w-60 rounded-xl border border-line bg-surface p-1.5 text-ink shadow-card"
        >
          <DropdownMenu.Label className="px-2.5 py-1.5 text-sm text-muted">
            <span className="block truncate">{data?.account.name}</span>
            <span className="block truncate font-mono text-xs">{data?.key.prefix}</span>
          </DropdownMenu.Label>
          <DropdownMenu.Item className={ITEM} onSelect={() => chooseTheme(other)}>
            <Icon name={other === 'dark' ? 'moon' : 'sun'} />
            {other === 'dark' ? t('Dark theme') : t('Light theme')}
          </DropdownMenu.Item>
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          <DropdownMenu.RadioGroup
            value={i18n.locale}
            onValueChange={(locale) => void chooseLocale(locale as Locale)}
            aria-label={t('Language')}
          >
            {Object.entries(LOCALES).map(([locale, name]) => (
              <DropdownMenu.RadioItem key={locale} value={locale} lang={locale} className={ITEM}>
                <span className="flex w-[18px]">
                  <DropdownMenu.ItemIndicator>
                    <Icon name="check" />
                  </DropdownMenu.ItemIndicator>
                </span>
                {name}
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          <DropdownMenu.Item className={ITEM} asChild>
            <a href="/docs" target="_blank" rel="noreferrer">
              <Icon name="code" />
              {t('API reference')}
            </a>
          </DropdownMenu.Item>
          <DropdownMenu.Item className={ITEM} onSelect={() => void logOut()}>
            <Icon name="logout" />
            {t('Log out')}
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
