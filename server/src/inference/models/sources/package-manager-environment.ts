/** The environment of a package manager. It needs many variables, such as those of a proxy, but no settings of the server: they contain secrets. */
export function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(MYNAH_|PG)/.test(name)));
}
