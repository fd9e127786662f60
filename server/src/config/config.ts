import { existsSync, readFileSync } from 'node:fs';
import type { z } from 'zod';
import type { Environment, Setting } from './setting.ts';
import { SETTINGS } from './settings.ts';

export type { Environment } from './setting.ts';

/** Path of the config file. Not part of the table, because the table is read from that file. */
export const CONFIG_FILE_VARIABLE = 'MYNAH_CONFIG';
const DEFAULT_CONFIG_FILE = 'mynah.config.json';

type SettingName = keyof typeof SETTINGS;
export type Config = { readonly [Name in SettingName]: z.output<(typeof SETTINGS)[Name]['schema']> };

export interface LoadedConfig {
  readonly config: Config;
  /** Sentences for the operator about unknown and deprecated names. */
  readonly warnings: readonly string[];
}

/** The settings are invalid. The message lists every invalid one. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads all settings. Command-line options take precedence over environment variables, those over the config file,
 * that over the defaults; within a source, the current name of a setting takes precedence over a deprecated one.
 * Throws one `ConfigError` that lists every invalid setting.
 */
export function loadConfig(env: Environment, argv: readonly string[] = []): LoadedConfig {
  const problems: string[] = [];
  const options = readOptions(argv, problems);
  const file = readConfigFile(options.get(CONFIG_FILE_VARIABLE) ?? env[CONFIG_FILE_VARIABLE], problems);
  const sources = [
    { values: Object.fromEntries(options), display: optionOf },
    { values: env, display: (name: string) => name },
    { values: file.values, display: (name: string) => `${name} in ${file.path}` },
  ];

  const values: Partial<Record<SettingName, unknown>> = {};
  for (const [name, setting] of settingEntries()) {
    const given = sources
      .flatMap((source) => namesOf(setting).map((env) => ({ env, value: source.values[env] })))
      .find(({ value }) => isGiven(value));
    const parsed = setting.schema.safeParse(given?.value ?? setting.machineDefault?.from(env));
    if (parsed.success) values[name] = parsed.data;
    else {
      const messages = parsed.error.issues.map((issue) => issue.message);
      problems.push(`${given?.env ?? setting.env}: ${messages.join('; ')}`);
    }
  }

  if (problems.length > 0) {
    throw new ConfigError(`Invalid settings:\n${problems.map((line) => `  ${line}`).join('\n')}`);
  }
  // Every name of the table has a value now: a setting without one is a problem.
  const config = Object.freeze(values) as Config;
  return { config, warnings: [...findUnknown(env, file), ...sources.flatMap(findDeprecated)] };
}

/** The option of a setting: `--queue-max` for `MYNAH_QUEUE_MAX`. */
export function optionOf(env: string): string {
  return `--${env
    .replace(/^MYNAH_/, '')
    .toLowerCase()
    .replaceAll('_', '-')}`;
}

/** The table as pairs, in its order. */
export function settingEntries(): readonly (readonly [SettingName, Setting])[] {
  return Object.entries(SETTINGS) as [SettingName, Setting][];
}

/** The name of a setting, then its deprecated names. */
function namesOf({ env, deprecatedNames = [] }: Setting): readonly string[] {
  return [env, ...deprecatedNames];
}

/** Shells and compose files use an empty variable for "not set". */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function readOptions(argv: readonly string[], problems: string[]): Map<string, string> {
  const known = new Map(knownNames().map((env) => [optionOf(env), env]));
  const options = new Map<string, string>();
  for (let index = 0; index < argv.length; index += 1) {
    const [option = '', inline] = splitOnce(argv[index] ?? '', '=');
    const env = known.get(option);
    if (env === undefined) {
      problems.push(`${option}: unknown option; --help lists all options`);
      // Its value is no option.
      const isValue =
        inline === undefined && option.startsWith('-') && argv[index + 1]?.startsWith('-') === false;
      if (isValue) index += 1;
      continue;
    }
    const value = inline ?? argv[++index];
    if (value === undefined) problems.push(`${option}: requires a value`);
    else options.set(env, value);
  }
  return options;
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

interface ConfigFile {
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
}

function readConfigFile(given: string | undefined, problems: string[]): ConfigFile {
  const path = given || DEFAULT_CONFIG_FILE;
  const empty = { path, values: {} };
  if (!given && !existsSync(path)) return empty;
  try {
    const values: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof values === 'object' && values !== null && !Array.isArray(values))
      return { path, values: { ...values } };
    problems.push(`${path}: must contain a JSON object with setting names as keys`);
  } catch (error) {
    problems.push(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return empty;
}

function knownNames(): string[] {
  return [CONFIG_FILE_VARIABLE, ...settingEntries().flatMap(([, setting]) => namesOf(setting))];
}

function findUnknown(env: Environment, file: ConfigFile): string[] {
  const known = new Set(knownNames());
  const inEnv = Object.keys(env).filter((name) => name.startsWith('MYNAH_') && !known.has(name));
  const inFile = Object.keys(file.values).filter((name) => !known.has(name));
  return [
    ...inEnv.map((name) => `${name} is not a setting of this server and has no effect.`),
    ...inFile.map((name) => `${name} in ${file.path} is not a setting of this server and has no effect.`),
  ];
}

/** One warning for each deprecated name that a source uses. */
function findDeprecated(source: {
  readonly values: Readonly<Record<string, unknown>>;
  readonly display: (env: string) => string;
}): string[] {
  return settingEntries().flatMap(([, setting]) =>
    (setting.deprecatedNames ?? [])
      .filter((name) => isGiven(source.values[name]))
      .map((name) => `${source.display(name)} is deprecated; use ${source.display(setting.env)}.`),
  );
}
