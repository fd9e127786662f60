import { i18n } from '@lingui/core';
import type german from '../locales/de.json';

/** The languages of the console. */
export const LOCALES = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  zh: '简体中文',
} as const;
export type Locale = keyof typeof LOCALES;

/** A message of the catalogues: its English text, with placeholders in the ICU format. */
export type Message = keyof typeof german;

const KEY = 'mynah.locale';
const LOADERS = {
  en: () => import('virtual:catalogue/en'),
  de: () => import('virtual:catalogue/de'),
  es: () => import('virtual:catalogue/es'),
  zh: () => import('virtual:catalogue/zh'),
};

/** The stored language, else the first language of the browser that is available, else English. */
export function preferredLocale(): Locale {
  const stored = localStorage.getItem(KEY);
  const wanted = [stored, ...navigator.languages].map((tag) => tag?.slice(0, 2).toLowerCase());
  return wanted.find((tag): tag is Locale => tag !== undefined && tag in LOCALES) ?? 'en';
}

export async function activateLocale(locale: Locale): Promise<void> {
  const { messages } = await LOADERS[locale]();
  i18n.loadAndActivate({ locale, messages });
  document.documentElement.lang = locale;
}

export async function chooseLocale(locale: Locale): Promise<void> {
  localStorage.setItem(KEY, locale);
  await activateLocale(locale);
}

export type Values = Readonly<Record<string, string | number>>;
export type Translate = (message: Message, values?: Values) => string;

/** Translates outside of components. */
export const translate: Translate = (message, values) => i18n._(message, values as Record<string, unknown>);
