import { i18n } from '@lingui/core';
import { translate } from './i18n.ts';

/** US dollars; small amounts keep three significant digits. */
export function formatUsd(amount: number | string): string {
  const value = Number(amount);
  const isSmall = value !== 0 && Math.abs(value) < 0.1;
  return new Intl.NumberFormat(i18n.locale, {
    style: 'currency',
    currency: 'USD',
    ...(isSmall ? { maximumSignificantDigits: 3 } : { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
  }).format(value);
}

export function formatNumber(value: number): string {
  return new Intl.NumberFormat(i18n.locale).format(value);
}

export function formatDate(date: string | number | Date): string {
  return new Intl.DateTimeFormat(i18n.locale, { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(date),
  );
}

export function formatDay(date: string | number | Date): string {
  return new Intl.DateTimeFormat(i18n.locale, { dateStyle: 'medium' }).format(new Date(date));
}

/** A day without its year. */
export function formatShortDay(date: string | number | Date): string {
  return new Intl.DateTimeFormat(i18n.locale, { month: 'short', day: 'numeric', timeZone: 'UTC' }).format(
    new Date(date),
  );
}

/** A similarity from 0 to 1 as a percentage. */
export function formatPercent(value: number): string {
  return new Intl.NumberFormat(i18n.locale, { style: 'percent', maximumFractionDigits: 0 }).format(value);
}

/** A position in audio, such as `1:05.3`. */
export function formatTime(seconds: number): string {
  const whole = Math.max(0, seconds);
  const rest = (whole % 60).toFixed(1).padStart(4, '0');
  return `${Math.floor(whole / 60)}:${rest}`;
}

export function formatBytes(bytes: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;
  const power = bytes < 1 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return new Intl.NumberFormat(i18n.locale, {
    style: 'unit',
    unit: units[power] ?? 'byte',
    maximumFractionDigits: power === 0 ? 0 : 1,
  }).format(bytes / 1000 ** power);
}

/** The code of ISO 639-2 for several languages. Browsers have no name for it. */
const MULTILINGUAL = 'mul';

/** The name of a language in the language of the console. */
export function languageName(code: string): string {
  if (code === MULTILINGUAL) return translate('All languages');
  try {
    return new Intl.DisplayNames([i18n.locale], { type: 'language' }).of(code) ?? code;
  } catch {
    return code;
  }
}
