import { useLingui } from '@lingui/react';
import { useCallback } from 'react';
import type { Translate } from './i18n.ts';

/** The translation function; the component renders again when the language changes. */
export function useTranslate(): Translate {
  const { i18n } = useLingui();
  return useCallback((message, values) => i18n._(message, values as Record<string, unknown>), [i18n]);
}
