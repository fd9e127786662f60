import { z } from 'zod';
import { optionOf } from './config.ts';
import type { Setting } from './setting.ts';
import { SETTING_GROUPS } from './settings.ts';

/** One setting, formatted for help and reference. */
export interface SettingDescription {
  readonly env: string;
  readonly option: string;
  readonly deprecatedNames: readonly string[];
  readonly description: string;
  readonly defaultValue: string;
  readonly allowed: string;
}

/** The settings of one subject, formatted for help and reference. */
export interface SettingSection {
  readonly title: string;
  readonly settings: readonly SettingDescription[];
}

/** All settings by subject, for `--help` and the settings reference. */
export function describeSettingGroups(): readonly SettingSection[] {
  return SETTING_GROUPS.map(({ title, settings }) => ({
    title,
    settings: Object.values(settings).map(describe),
  }));
}

/** All settings, in the order of their groups. */
export function describeSettings(): readonly SettingDescription[] {
  return describeSettingGroups().flatMap(({ settings }) => settings);
}

function describe(setting: Setting): SettingDescription {
  const schema = z.toJSONSchema(setting.schema, { io: 'input', unrepresentable: 'any' });
  return {
    env: setting.env,
    option: optionOf(setting.env),
    deprecatedNames: setting.deprecatedNames ?? [],
    description: setting.description,
    defaultValue:
      setting.machineDefault?.description ?? formatDefault(setting.schema.safeParse(undefined).data),
    allowed: formatAllowed(schema),
  };
}

function formatDefault(value: unknown): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function formatAllowed(schema: z.core.JSONSchema.BaseSchema): string {
  const { type, minimum, maximum, format } = schema;
  const values =
    schema.enum ??
    (typeof schema.items === 'object' && 'enum' in schema.items ? schema.items.enum : undefined);
  const listed = values?.map(String).join(', ');
  if (type === 'array') return listed ? `comma-separated: ${listed}` : 'comma-separated list';
  if (listed) return listed;
  if (type === 'integer' || type === 'number') {
    return `${type === 'integer' ? 'whole number' : 'number'}, ${minimum} to ${maximum}`;
  }
  if (type === 'boolean') return 'true, false';
  if (type === 'object') return 'JSON object';
  return schema.title ?? (format === 'uri' ? 'URL' : 'text');
}

/** All settings as text for a terminal. Deprecated names are left out. */
export function settingsHelp(): string {
  return describeSettingGroups()
    .map(({ title, settings }) => `\n${title}:\n${settings.map(helpOf).join('')}`)
    .join('');
}

function helpOf({ env, option, description, defaultValue, allowed }: SettingDescription): string {
  const values = `${allowed}${defaultValue === '' ? '' : `; default ${defaultValue}`}`;
  return `  ${option}, ${env}\n${wrap(description)}${wrap(`(${values})`)}`;
}

const HELP_COLUMNS = 100;
const HELP_INDENTATION = ' '.repeat(6);

/** Indented lines of whole words. A word that is longer than a line has a line of its own. */
function wrap(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && HELP_INDENTATION.length + line.length <= HELP_COLUMNS) lines.splice(-1, 1, line);
    else lines.push(word);
  }
  return lines.map((line) => `${HELP_INDENTATION}${line}\n`).join('');
}
