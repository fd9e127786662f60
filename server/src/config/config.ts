import { existsSync, readFileSync } from 'node:fs';
import type { z } from 'zod';
import { type Environment, SETTINGS, type Setting } from './settings.ts';

export type { Environment } from './settings.ts';

/** Names the config file. Not in the table because it says where to find the others. */
export const CONFIG_FILE_VARIABLE = 'MYNAH_CONFIG';
const DEFAULT_CONFIG_FILE = 'mynah.config.json';

type SettingName = keyof typeof SETTINGS;
export type Config = { readonly [Name in SettingName]: z.output<(typeof SETTINGS)[Name]['schema']> };

export interface LoadedConfig {
  readonly config: Config;
  /** Sentences for the operator: nothing is wrong enough to refuse to start. */
  readonly warnings: readonly string[];
}

/** The settings cannot be used. The message names every bad one. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads all settings, once, at start. Command-line flags win over environment variables, those over the
 * config file, that over the defaults. Throws one `ConfigError` that names every bad setting.
 */
export function loadConfig(env: Environment, argv: readonly string[] = []): LoadedConfig {
  const problems: string[] = [];
  const flags = readFlags(argv, problems);
  const file = readConfigFile(flags.get(CONFIG_FILE_VARIABLE) ?? env[CONFIG_FILE_VARIABLE], problems);

  const values: Partial<Record<SettingName, unknown>> = {};
  for (const [name, setting] of settingEntries()) {
    const given = [flags.get(setting.env), env[setting.env], file.values[setting.env]].find(isGiven);
    const parsed = setting.schema.safeParse(given ?? setting.machineDefault?.from(env));
    if (parsed.success) values[name] = parsed.data;
    else problems.push(`${setting.env}: ${parsed.error.issues.map((issue) => issue.message).join('; ')}`);
  }

  if (problems.length > 0) {
    throw new ConfigError(`The settings cannot be used:\n${problems.map((line) => `  ${line}`).join('\n')}`);
  }
  return { config: Object.freeze(values) as Config, warnings: findUnknown(env, file) };
}

/** `MYNAH_QUEUE_MAX` is `--queue-max` on the command line. */
export function flagOf(env: string): string {
  return `--${env
    .replace(/^MYNAH_/, '')
    .toLowerCase()
    .replaceAll('_', '-')}`;
}

/** The table as pairs, in its order. */
export function settingEntries(): readonly (readonly [SettingName, Setting])[] {
  return Object.entries(SETTINGS) as [SettingName, Setting][];
}

// An empty variable is how shells and compose files say "not set".
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function readFlags(argv: readonly string[], problems: string[]): Map<string, string> {
  const known = new Map(
    [CONFIG_FILE_VARIABLE, ...settingEntries().map(([, { env }]) => env)].map((env) => [flagOf(env), env]),
  );
  const flags = new Map<string, string>();
  for (let index = 0; index < argv.length; index += 1) {
    const [flag = '', inline] = splitOnce(argv[index] ?? '', '=');
    const env = known.get(flag);
    if (env === undefined) {
      problems.push(`${flag}: no such option; --help lists all of them`);
      continue;
    }
    const value = inline ?? argv[++index];
    if (value === undefined) problems.push(`${flag}: needs a value`);
    else flags.set(env, value);
  }
  return flags;
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

interface ConfigFile {
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
}

function readConfigFile(named: string | undefined, problems: string[]): ConfigFile {
  const path = named || DEFAULT_CONFIG_FILE;
  const empty = { path, values: {} };
  if (!named && !existsSync(path)) return empty;
  try {
    const values: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof values === 'object' && values !== null && !Array.isArray(values))
      return { path, values: { ...values } };
    problems.push(`${path}: must hold a JSON object with setting names as keys`);
  } catch (error) {
    problems.push(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return empty;
}

function findUnknown(env: Environment, file: ConfigFile): string[] {
  const known = new Set<string>([
    CONFIG_FILE_VARIABLE,
    ...settingEntries().map(([, setting]) => setting.env),
  ]);
  const inEnv = Object.keys(env).filter((name) => name.startsWith('MYNAH_') && !known.has(name));
  const inFile = Object.keys(file.values).filter((name) => !known.has(name));
  return [
    ...inEnv.map((name) => `${name} is not a setting of this server and has no effect.`),
    ...inFile.map((name) => `${name} in ${file.path} is not a setting of this server and has no effect.`),
  ];
}
