import { useBlocker } from '@tanstack/react-router';
import { useTranslate } from './use-translate.ts';

/** Asks before the user leaves a page whose changes would be lost. */
export function useLeaveGuard(hasChanges: boolean): void {
  const t = useTranslate();
  useBlocker({
    disabled: !hasChanges,
    enableBeforeUnload: hasChanges,
    shouldBlockFn: () => !confirm(t('Your changes are not saved. Leave this page?')),
  });
}
